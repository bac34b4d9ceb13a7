// orbit_parity env: recorded games, played again from their seed (or hand-made start) and moves.
#define CXXOPTS_VECTOR_DELIMITER '\0'  // a comma may stand in a file name
#include <cstdio>
#include <cxxopts.hpp>
#include "src/common/error.h"
#include "src/parity/commands.h"
#include "src/parity/operator_turn.h"
#include "src/parity/parity_report.h"
#include "src/parity/trace_check.h"
#include "src/parity/trace_file.h"

namespace orbit {
namespace {

CheckedThing checked(const Trace& trace, const TraceResult& result) {
  CheckedThing thing;
  thing.name = trace.file + ":" + trace.name;
  thing.max_abs = result.max_gap;
  thing.max_rel = result.max_relative_gap;
  thing.tolerance = kPositionTolerance;
  thing.ok = result.mismatches == 0;
  thing.more = {{"steps", result.states}, {"mismatches", result.mismatches}, {"bit_equal", result.bit_equal()}};
  thing.line = std::to_string(result.states) + " steps, " + std::to_string(result.mismatches) + " mismatches";
  char gap[48];
  std::snprintf(gap, sizeof gap, ", positions within %.3g", result.max_gap);
  if (thing.ok) thing.line += result.bit_equal() ? ", bit-equal" : gap;
  if (result.first) {
    const Difference& d = *result.first;
    thing.line += "; first at step " + std::to_string(d.t) + ": " + d.field + ": expected " + d.expected + ", found " + d.found;
    thing.more["first"] = {{"step", d.t}, {"field", d.field}, {"expected", d.expected}, {"found", d.found}};
  }
  return thing;
}

}  // namespace

int env_command(int argc, char** argv) {
  cxxopts::Options options("orbit_parity env", "Plays recorded games again and compares every state with the recorded one.\n");
  options.custom_help("--trace FILE...");
  options.positional_help("");
  options.add_options()  //
      ("trace", "trace files or Kaggle replays, plain or gzipped", cxxopts::value<std::vector<std::string>>(), "FILE...")
      ("json", "a JSON object a game, one a line, to a file or standard output", cxxopts::value<std::string>(), "FILE|-")
      ("help", "print this");
  options.parse_positional("trace");
  std::vector<std::string> files;
  std::string json_target;
  try {
    const cxxopts::ParseResult given = options.parse(argc, argv);
    if (given.count("help")) return print_help(options.help());
    if (given.count("trace")) files = given["trace"].as<std::vector<std::string>>();
    if (given.count("json")) json_target = given["json"].as<std::string>();
  } catch (const cxxopts::exceptions::exception& e) {
    throw UserError(std::string(e.what()) + "; see orbit_parity env --help");
  }
  if (files.empty()) throw UserError("--trace FILE... is required; see orbit_parity env --help");
  ParityReport report(json_target);
  for (const std::string& file : files)
    for (const Trace& trace : read_traces(file)) report.add(checked(trace, check_trace(trace, OperatorTurn())));
  return report.finish();
}

}  // namespace orbit

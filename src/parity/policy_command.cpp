// orbit_parity policy: the network, its loss, gradients and optimizer step against cases that PyTorch wrote.
#include <cxxopts.hpp>

#include "src/checkpoint/pt_reader.h"
#include "src/common/error.h"
#include "src/parity/commands.h"
#include "src/parity/policy_check.h"

namespace orbit {

int policy_command(int argc, char** argv) {
  cxxopts::Options options("orbit_parity policy", "Holds the policy network against a case that PyTorch wrote: outputs, scores, loss, gradients, step.\n");
  options.add_options()  //
      ("case", "the case, as src/parity/policy_check.h describes it",
       cxxopts::value<std::string>()->default_value("tests/data/features/policy.pt"), "FILE")
      ("layout", "packed or padded rows", cxxopts::value<std::string>()->default_value("packed"), "NAME")
      ("json", "a JSON object a tensor, one a line, to a file or standard output", cxxopts::value<std::string>()->default_value(""), "FILE|-")
      ("help", "print this");
  std::string file, layout, json_target;
  try {
    const cxxopts::ParseResult given = options.parse(argc, argv);
    if (given.count("help")) return print_help(options.help());
    if (!given.unmatched().empty()) throw UserError("unexpected argument \"" + given.unmatched()[0] + "\"; see orbit_parity policy --help");
    file = given["case"].as<std::string>();
    layout = given["layout"].as<std::string>();
    json_target = given["json"].as<std::string>();
  } catch (const cxxopts::exceptions::exception& e) {
    throw UserError(std::string(e.what()) + "; see orbit_parity policy --help");
  }
  if (layout != "packed" && layout != "padded") throw UserError("--layout " + layout + ": expected packed or padded");
  ParityReport report(json_target);
  for (const Comparison& c : check_policy(read_pt(file), layout == "padded" ? Layout::kPadded : Layout::kPacked, file)) {
    report.add(c.thing());
  }
  return report.finish();
}

}  // namespace orbit

// Plays saved weights against scripted opponents and other policies: orbit_eval --config FILE --weights FILE.
#define CXXOPTS_VECTOR_DELIMITER '\0'  // --set takes lists, so commas do not part values
#include <cstdio>
#include <cxxopts.hpp>
#include <nlohmann/json.hpp>
#include "src/common/atomic_file.h"
#include "src/common/error.h"
#include "src/common/machine.h"
#include "src/common/signals.h"
#include "src/config/load.h"
#include "src/eval/evaluation.h"
#include "src/setup.h"

namespace orbit {
namespace {

struct Arguments {
  std::string config_path, weights, key, json;
  std::vector<std::string> overrides;
  std::string printed;  // by --help and --version, instead of playing
};

Arguments parse(int argc, char** argv) {
  cxxopts::Options options("orbit_eval", "Win rates of saved weights, greedy play, on boards that training never draws.\n");
  options.custom_help("--config FILE --weights FILE [OPTION...]");
  options.add_options()  //
      ("config", "settings that the weights were trained with (a run's config.yaml)", cxxopts::value<std::string>(), "FILE")
      ("weights", "a .pt or .safetensors file, by parameter name, or a .ts module", cxxopts::value<std::string>(), "FILE")
      ("key", "where in that file the weights are, if several places fit", cxxopts::value<std::string>(), "NAME")
      ("opponents", "who is played: noop, random, starter, files as for --weights; e.g. random,starter", cxxopts::value<std::string>(), "NAMES")
      ("games", "games against each, seats swapped", cxxopts::value<std::string>(), "N")
      ("seed-start", "first board seed", cxxopts::value<std::string>(), "N")
      ("set", "change a setting (repeatable)", cxxopts::value<std::vector<std::string>>(), "key.path=value")
      ("json", "one JSON object an opponent, to a file or - for standard output", cxxopts::value<std::string>(), "FILE|-")
      ("help", "print this")
      ("version", "print the version");
  Arguments a;
  try {
    const cxxopts::ParseResult given = options.parse(argc, argv);
    if (!given.unmatched().empty()) throw UserError("unexpected argument \"" + given.unmatched()[0] + "\"; see --help");
    if (given.count("help")) a.printed = options.help();
    else if (given.count("version")) a.printed = "orbit_eval " ORBIT_VERSION "\n";
    const auto text = [&](const char* name) { return given.count(name) ? given[name].as<std::string>() : std::string(); };
    a.config_path = text("config");
    a.weights = text("weights");
    a.key = text("key");
    a.json = text("json");
    if (given.count("set")) a.overrides = given["set"].as<std::vector<std::string>>();
    if (given.count("opponents")) a.overrides.push_back("evaluation.opponents=[" + text("opponents") + "]");
    if (given.count("games")) a.overrides.push_back("evaluation.games=" + text("games"));
    if (given.count("seed-start")) a.overrides.push_back("evaluation.seed_start=" + text("seed-start"));
  } catch (const cxxopts::exceptions::exception& e) {
    throw UserError(std::string(e.what()) + "; see --help");
  }
  return a;
}

std::string json_line(const std::string& opponent, const MatchResult& m) {
  const Interval i = wilson_interval(m.won, m.games);
  const nlohmann::ordered_json row = {{"opponent", opponent},     {"games", m.games}, {"won", m.won},
                                      {"shared", m.shared},       {"lost", m.lost},   {"win_rate", m.win_rate()},
                                      {"interval", {i.low, i.high}}, {"turns", m.turns}};
  return row.dump() + "\n";
}

int run(int argc, char** argv) {
  const Arguments a = parse(argc, argv);
  if (!a.printed.empty()) {
    std::fputs(a.printed.c_str(), stdout);
    return 0;
  }
  if (a.config_path.empty() || a.weights.empty()) throw UserError("--config FILE and --weights FILE are required; see --help");
  const Config config = load_config(a.config_path, a.overrides);
  require_device(config.device.type);
  use_threads(config);
  install_stop_handlers();
  const std::shared_ptr<Policy> policy = load_policy(a.weights, a.key, config);
  std::string json;
  for (const auto& [opponent, m] : Evaluation(config).play(policy, stop_requested)) {
    const Interval i = wilson_interval(m.won, m.games);
    if (a.json != "-")
      std::printf("against %-10s %5lld games: won %5lld, shared %4lld, lost %5lld; win rate %.1f%% (95%% interval %.1f to %.1f%%)\n",
                  opponent.c_str(), static_cast<long long>(m.games), static_cast<long long>(m.won), static_cast<long long>(m.shared),
                  static_cast<long long>(m.lost), 100 * m.win_rate(), 100 * i.low, 100 * i.high);
    json += json_line(opponent, m);
  }
  if (a.json == "-") std::fputs(json.c_str(), stdout);
  else if (!a.json.empty()) write_text_atomically(a.json, json);
  return 0;
}

}  // namespace
}  // namespace orbit

int main(int argc, char** argv) {
  return orbit::run_program("orbit_eval", [&] { return orbit::run(argc, argv); });
}

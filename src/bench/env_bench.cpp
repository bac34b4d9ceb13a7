// orbit_bench env: steps per second of the game through its operators, over recorded play.
#define CXXOPTS_VECTOR_DELIMITER '\0'  // a comma may stand in a file name
#include <ATen/Parallel.h>
#include <algorithm>
#include <c10/core/InferenceMode.h>
#include <cstdio>
#include <cxxopts.hpp>
#include <optional>
#include <thread>
#include "extensions/env_batch.h"
#include "extensions/env_registry.h"
#include "src/bench/bench_table.h"
#include "src/bench/commands.h"
#include "src/bench/flags.h"
#include "src/bench/lockstep.h"
#include "src/bench/small_env_bench.h"
#include "src/bench/timing.h"
#include "src/common/error.h"

namespace orbit {
namespace {

struct Arguments {
  std::string json_target, help, folder;
  std::string environment;  // orbit_wars, or a small one
  bool in_double = false;   // arithmetic of a small one
  std::vector<std::string> traces;
  std::vector<int> players{2, 4}, fleets{0, 11, 100, 400}, num_envs{1, 16, 64, 256, 512, 1024, 2048, 4096}, threads;
  std::vector<Part> parts{Part::kStep, Part::kAimDecode, Part::kFeatures, Part::kWholeGame};
  double seconds = 0;
};

Part part_of(const std::string& word) {
  std::string known;
  for (size_t i = 0; i < std::size(kPartNames); ++i) {
    if (word == kPartNames[i]) return Part(i);
    known += std::string(i ? ", " : "") + kPartNames[i];
  }
  throw UserError("--part " + word + ": expected one of " + known);
}

void load_library(const std::string& file) {
  try {
    load_env_library(file);
  } catch (const c10::Error& e) {
    throw UserError(std::string("--env-library ") + e.what_without_backtrace());
  }
}

// Is it known, and are all flags about it?
void check_small_env(const cxxopts::ParseResult& given, const std::string& environment) {
  const std::vector<std::string> names = env_names();
  std::string known;
  for (const std::string& name : names) known += ", " + name;
  if (std::find(names.begin(), names.end(), environment) == names.end())
    throw UserError("--environment " + environment + ": expected one of orbit_wars" + known);
  for (const char* flag : {"players", "fleets", "part", "trace", "traces"})
    if (given.count(flag)) throw UserError(std::string("--") + flag + ": only for --environment orbit_wars");
}

bool in_double(const std::string& precision) {
  if (precision != "float" && precision != "double") throw UserError("--precision " + precision + ": expected float or double");
  return precision == "double";
}

Arguments parse(int argc, char** argv) {
  cxxopts::Options options("orbit_bench env", "Steps per second of the game over recorded play; without flags a sweep.\n");
  options.add_options()  //
      ("environment", "orbit_wars, or a small environment (envs/README.md)", cxxopts::value<std::string>()->default_value("orbit_wars"), "NAME")
      ("players", "2 or 4", cxxopts::value<int>(), "N")
      ("fleets", "load, fleets in flight: 0, 11, 100 or 400", cxxopts::value<int>(), "N")
      ("env-library", "load this environment library first", cxxopts::value<std::string>(), "FILE")
      ("precision", "float or double, of a small environment", cxxopts::value<std::string>()->default_value("float"), "NAME")
      ("num-envs", "games played in lockstep", cxxopts::value<int>(), "N")
      ("threads", "threads over which they are shared out", cxxopts::value<int>(), "N")
      ("part", "step, step+aim+decode, step+features or whole-game (fresh boards included)", cxxopts::value<std::string>(), "NAME")
      ("trace", "play these traces or replays instead of a load", cxxopts::value<std::vector<std::string>>(), "FILE")
      ("traces", "folder of the recorded play", cxxopts::value<std::string>()->default_value(recorded_play_folder()), "FOLDER")
      ("seconds", "least time of a measurement", cxxopts::value<double>()->default_value("0.3"), "S")
      ("json", "one JSON object a measurement, a line each", cxxopts::value<std::string>(), "FILE|-")
      ("help", "print this");
  Arguments a;
  const int cores = std::max(1, int(std::thread::hardware_concurrency()));
  a.threads = cores > 1 ? std::vector<int>{1, cores} : std::vector<int>{1};
  try {
    const cxxopts::ParseResult given = options.parse(argc, argv);
    if (given.count("help")) a.help = options.help();
    if (!given.unmatched().empty())
      throw UserError("unexpected argument \"" + given.unmatched()[0] + "\"; see orbit_bench env --help");
    if (given.count("env-library")) load_library(given["env-library"].as<std::string>());
    a.environment = given["environment"].as<std::string>();
    if (a.environment != "orbit_wars") check_small_env(given, a.environment);
    a.in_double = in_double(given["precision"].as<std::string>());
    if (given.count("players")) a.players = {given["players"].as<int>()};
    if (given.count("fleets")) a.fleets = {given["fleets"].as<int>()};
    if (given.count("num-envs")) a.num_envs = {positive("num-envs", given["num-envs"].as<int>())};
    if (given.count("threads")) a.threads = {positive("threads", given["threads"].as<int>())};
    if (given.count("part")) a.parts = {part_of(given["part"].as<std::string>())};
    if (given.count("trace")) a.traces = given["trace"].as<std::vector<std::string>>();
    if (given.count("json")) a.json_target = given["json"].as<std::string>();
    a.folder = given["traces"].as<std::string>();
    a.seconds = given["seconds"].as<double>();
  } catch (const cxxopts::exceptions::exception& e) {
    throw UserError(std::string(e.what()) + "; see orbit_bench env --help");
  }
  return a;
}

// The files of each load that was asked for.
std::vector<std::vector<std::string>> chosen_loads(const Arguments& a) {
  if (!a.traces.empty()) return {a.traces};
  std::vector<std::vector<std::string>> choices;
  for (int fleets : a.fleets)
    for (int players : a.players) choices.push_back(recorded_play_files(a.folder, players, fleets));
  return choices;
}

// A single environment is never split, so a second thread has nothing to do there.
bool worth_measuring(int num_envs, int threads) { return threads <= num_envs; }

nlohmann::json shares(const PieceSeconds& seconds) {
  double total = 0;
  for (double s : seconds) total += s;
  nlohmann::json share = nlohmann::json::object();
  for (int p = 0; p < kPieces; ++p)
    if (seconds[size_t(p)] > 0) share[kPieceNames[p]] = seconds[size_t(p)] / total;
  return share;
}

nlohmann::json measure_part(const Arguments& a, const RecordedPlay& play, Lockstep& batch, int num_envs, int threads, Part part) {
  at::set_num_threads(threads);
  const auto rewind = [&] { batch.rewind_if_due(); };
  const Rate rate = measure_rate(double(batch.steps_of_pass()), a.seconds, rewind, [&] { batch.play_pass(part); });
  PieceSeconds seconds{};
  measure_rate(double(batch.steps_of_pass()), 0, rewind, [&] { batch.play_pass(part, &seconds); });
  nlohmann::json row{{"bench", "env"},
                     {"environment", "orbit_wars"},
                     {"num_envs", num_envs},
                     {"threads", threads},
                     {"part", kPartNames[int(part)]},
                     {"steps_per_second", rate.per_second},
                     {"spread", rate.spread},
                     {"ns_per_step", 1e9 / rate.per_second},
                     {"cpu_ns_per_step", rate.cpu_nanoseconds},
                     {"share", shares(seconds)},
                     {"players", play.rules.seats},
                     {"mean_fleets", play.mean_fleets},
                     {"bytes_per_env", batch.bytes_per_env(true)},
                     {"bytes_per_env_without_history", batch.bytes_per_env(false)}};
  if (part == Part::kWholeGame) row["games_per_second"] = rate.per_second * batch.games_of_pass() / double(batch.steps_of_pass());
  return row;
}

}  // namespace

int env_bench(int argc, char** argv) {
  const Arguments a = parse(argc, argv);
  if (!a.help.empty()) {
    std::fputs(a.help.c_str(), stdout);
    return 0;
  }
  if (a.environment != "orbit_wars") {
    const SmallEnvLoad load{a.environment, a.num_envs, a.threads, a.in_double, a.seconds};
    const int rows = small_env_rows(load);
    if (rows == 0) throw UserError("--threads: more than one needs " + std::to_string(kEnvsPerTask) + " --num-envs each");
    BenchTable table(a.json_target, rows);
    bench_small_env(load, table);
    return 0;
  }
  const auto loads = chosen_loads(a);
  int rows = 0;
  for (int num_envs : a.num_envs)
    for (int threads : a.threads) rows += worth_measuring(num_envs, threads) ? int(loads.size() * a.parts.size()) : 0;
  if (rows == 0) throw UserError("--threads: more than --num-envs; an environment is not split");
  BenchTable table(a.json_target, rows);
  c10::InferenceMode no_gradients;  // as in a rollout
  for (const auto& files : loads) {
    const RecordedPlay play = load_recorded_play(files);
    for (int num_envs : a.num_envs) {
      std::optional<Lockstep> batch;
      for (int threads : a.threads) {
        if (!worth_measuring(num_envs, threads)) continue;
        if (!batch) batch.emplace(play, num_envs);
        for (Part part : a.parts) table.add(measure_part(a, play, *batch, num_envs, threads, part));
      }
    }
  }
  return 0;
}

}  // namespace orbit

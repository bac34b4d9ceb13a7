// orbit_bench env: steps per second of the game alone, over recorded play.
#define CXXOPTS_VECTOR_DELIMITER '\0'  // a comma may stand in a file name
#include <cstdio>
#include <cxxopts.hpp>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>
#include "src/bench/commands.h"
#include "src/bench/playback.h"
#include "src/bench/timing.h"
#include "src/common/error.h"

namespace orbit {
namespace {

// The play of a load: about so many fleets in flight.
struct Load {
  int players, fleets;
  std::vector<const char*> traces;
};
const Load kLoads[] = {
    {2, 0, {"noop-2p-0", "noop-2p-1"}},      {4, 0, {"noop-4p-big"}},
    {2, 11, {"comet-2p-a", "light-2p-b"}},   {4, 11, {"light-4p-b"}},
    {2, 100, {"greedy-2p-a", "greedy-2p-b"}}, {4, 100, {"greedy-4p-a", "greedy-4p-b"}},
    {2, 400, {"heavy-2p-d"}},                {4, 400, {"heavy-4p-b"}},
};

constexpr const char* kTraceFolder = ORBIT_SOURCE_DIR "/tests/data/traces";

struct Arguments {
  std::string json_target, help, folder;
  std::vector<std::string> traces;
  std::vector<int> players{2, 4}, fleets{0, 11, 100, 400}, num_envs{1, 64, 512}, threads;
  double seconds = 0.5;
};

int positive(const std::string& flag, int value, int lowest) {
  if (value < lowest)
    throw UserError("--" + flag + ": expected at least " + std::to_string(lowest) + ", found " + std::to_string(value));
  return value;
}

Arguments parse(int argc, char** argv) {
  cxxopts::Options options("orbit_bench env", "Steps per second of the game over recorded play; without flags a sweep.\n");
  options.add_options()  //
      ("environment", "only orbit_wars here", cxxopts::value<std::string>()->default_value("orbit_wars"), "NAME")
      ("players", "2 or 4", cxxopts::value<int>(), "N")
      ("fleets", "load, fleets in flight: 0, 11, 100 or 400", cxxopts::value<int>(), "N")
      ("num-envs", "games stepped in turn", cxxopts::value<int>(), "N")
      ("threads", "threads over which they are split", cxxopts::value<int>(), "N")
      ("trace", "play these traces or replays instead of a load", cxxopts::value<std::vector<std::string>>(), "FILE")
      ("traces", "folder of the recorded play", cxxopts::value<std::string>()->default_value(kTraceFolder), "FOLDER")
      ("seconds", "least time of a measurement", cxxopts::value<double>()->default_value("0.5"), "S")
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
    const std::string environment = given["environment"].as<std::string>();
    if (environment != "orbit_wars") throw UserError("--environment " + environment + ": only orbit_wars is known here");
    if (given.count("players")) a.players = {given["players"].as<int>()};
    if (given.count("fleets")) a.fleets = {given["fleets"].as<int>()};
    if (given.count("num-envs")) a.num_envs = {positive("num-envs", given["num-envs"].as<int>(), 1)};
    if (given.count("threads")) a.threads = {positive("threads", given["threads"].as<int>(), 1)};
    if (given.count("trace")) a.traces = given["trace"].as<std::vector<std::string>>();
    if (given.count("json")) a.json_target = given["json"].as<std::string>();
    a.folder = given["traces"].as<std::string>();
    a.seconds = given["seconds"].as<double>();
  } catch (const cxxopts::exceptions::exception& e) {
    throw UserError(std::string(e.what()) + "; see orbit_bench env --help");
  }
  return a;
}

class Table {
 public:
  explicit Table(const std::string& target) : to_stdout_(target == "-") {
    if (!target.empty() && !to_stdout_) {
      file_.open(target);
      if (!file_) throw UserError("--json " + target + ": cannot be written");
    }
    if (!to_stdout_)
      std::printf("%7s %9s %8s %7s  %-6s %12s %7s\n", "players", "fleets", "num_envs", "threads", "part", "steps/s", "spread");
  }
  void add(const nlohmann::json& row) {
    if (file_.is_open()) file_ << row.dump() << "\n";
    if (to_stdout_) {
      std::printf("%s\n", row.dump().c_str());
    } else {
      std::printf("%7d %9.1f %8d %7d  %-6s %12.0f %6.1f%%\n", row["players"].get<int>(), row["mean_fleets"].get<double>(),
                  row["num_envs"].get<int>(), row["threads"].get<int>(), row["part"].get<std::string>().c_str(),
                  row["steps_per_second"].get<double>(), 100 * row["spread"].get<double>());
    }
    std::fflush(stdout);
  }

 private:
  bool to_stdout_;
  std::ofstream file_;
};

void measure(const Arguments& a, const std::vector<std::string>& files, Table& table) {
  const auto recordings = load_recordings(files);
  for (int num_envs : a.num_envs) {
    Playback playback(recordings, num_envs);
    for (int threads : a.threads) {
      if (threads > num_envs) continue;
      const Rate rate = measure_rate(double(playback.steps()), a.seconds, 5, [&] { playback.play(threads); });
      table.add({{"bench", "env"},
                 {"environment", "orbit_wars"},
                 {"num_envs", num_envs},
                 {"threads", threads},
                 {"part", "step"},
                 {"steps_per_second", rate.per_second},
                 {"spread", rate.spread},
                 {"cpu_ns_per_step", rate.cpu_nanoseconds},
                 {"players", recordings[0]->rules().seats},
                 {"mean_fleets", playback.mean_fleets()}});
    }
  }
}

}  // namespace

int env_bench(int argc, char** argv) {
  const Arguments a = parse(argc, argv);
  if (!a.help.empty()) {
    std::fputs(a.help.c_str(), stdout);
    return 0;
  }
  std::vector<std::vector<std::string>> choices;
  if (!a.traces.empty()) choices.push_back(a.traces);
  for (int fleets : a.fleets)
    for (int players : a.players)
      for (const Load& load : kLoads) {
        if (!a.traces.empty() || load.players != players || load.fleets != fleets) continue;
        choices.emplace_back();
        for (const char* name : load.traces) choices.back().push_back(a.folder + "/" + name + ".jsonl.gz");
      }
  if (choices.empty())
    throw UserError("no recorded play for these --players and --fleets; there is 2 or 4, and 0, 11, 100 or 400");
  Table table(a.json_target);
  for (const auto& files : choices) measure(a, files, table);
  return 0;
}

}  // namespace orbit

// orbit_bench rollout and train: steps per second of collecting experience and of whole iterations, as a run of orbit_train does
// them, with the share of matrix products and of what the machine's products reach alone.
#define CXXOPTS_VECTOR_DELIMITER '\0'  // --set takes lists, so commas do not part values
#include <ATen/Parallel.h>
#include <algorithm>
#include <cstdio>
#include <cxxopts.hpp>
#include <optional>
#include <thread>
#include "src/bench/bench_table.h"
#include "src/bench/commands.h"
#include "src/bench/flags.h"
#include "src/bench/matrix_products.h"
#include "src/bench/timing.h"
#include "src/bench/training_load.h"
#include "src/common/error.h"
#include "src/common/log.h"
#include "src/config/load.h"
#include "src/setup.h"

namespace orbit {
namespace {

constexpr const char* kDefaultConfig = ORBIT_SOURCE_DIR "/configs/ppo.yaml";
constexpr const char* kPartNames[] = {"env", "+inference", "+update"};

struct Arguments {
  std::string bench, json_target, help, config_path = kDefaultConfig;
  std::vector<std::string> overrides;
  std::vector<int> num_envs{16, 64, 256}, threads;
  int rounds = 3, minibatches = 0;
  std::optional<int> fleets;  // of recorded games
};

Arguments parse(const std::string& bench, int argc, char** argv) {
  const bool learns = bench == "train";
  const std::string what = learns ? "rollouts and updates" : "rollouts";
  cxxopts::Options options("orbit_bench " + bench,
                           "Steps per second of " + what + " with fresh weights; without flags a sweep over --num-envs.\n");
  options.add_options()  //
      ("config", "sizes and settings; also its number of games and threads", cxxopts::value<std::string>(), "FILE")
      ("set", "change a setting (repeatable)", cxxopts::value<std::vector<std::string>>(), "key.path=value")
      ("environment", "environment.name", cxxopts::value<std::string>(), "NAME")
      ("env-library", "environment.library", cxxopts::value<std::string>(), "FILE")
      ("players", "environment.players", cxxopts::value<int>(), "N")
      ("fleets", "play recorded games with so many fleets in flight: 0, 11, 100 or 400", cxxopts::value<int>(), "N")
      ("num-envs", "games in parallel", cxxopts::value<int>(), "N")
      ("threads", "CPU threads", cxxopts::value<int>(), "N")
      ("steps", "steps of a rollout (default: the config's horizon; 64 in the sweep)", cxxopts::value<int>(), "N")
      ("rounds", "measured iterations, after one that is not", cxxopts::value<int>()->default_value("3"), "N")
      ("json", "one JSON object a measurement, a line each", cxxopts::value<std::string>(), "FILE|-")
      ("help", "print this");
  if (learns) options.add_options()("minibatches", "do so many and count as if all (default: all)", cxxopts::value<int>(), "N");
  Arguments a;
  a.bench = bench;
  const int cores = std::max(1, int(std::thread::hardware_concurrency()));
  a.threads = cores > 1 ? std::vector<int>{1, cores} : std::vector<int>{1};
  try {
    const cxxopts::ParseResult given = options.parse(argc, argv);
    if (given.count("help")) a.help = options.help();
    if (!given.unmatched().empty())
      throw UserError("unexpected argument \"" + given.unmatched()[0] + "\"; see orbit_bench " + bench + " --help");
    if (given.count("config")) a.config_path = given["config"].as<std::string>();
    if (given.count("set")) a.overrides = given["set"].as<std::vector<std::string>>();
    if (given.count("environment")) a.overrides.push_back("environment.name=" + given["environment"].as<std::string>());
    if (given.count("env-library")) a.overrides.push_back("environment.library=" + given["env-library"].as<std::string>());
    if (given.count("players")) a.overrides.push_back("environment.players=" + std::to_string(given["players"].as<int>()));
    if (given.count("fleets")) a.fleets = given["fleets"].as<int>();
    if (given.count("steps")) a.overrides.push_back("training.horizon=" + std::to_string(positive("steps", given["steps"].as<int>())));
    else if (!given.count("config")) a.overrides.push_back("training.horizon=64");
    if (given.count("minibatches")) a.minibatches = positive("minibatches", given["minibatches"].as<int>());
    if (given.count("json")) a.json_target = given["json"].as<std::string>();
    a.rounds = positive("rounds", given["rounds"].as<int>());
    if (given.count("config")) {
      const Config config = load_config(a.config_path, a.overrides);
      a.num_envs = {config.training.episodes_per_iter};
      if (config.device.threads > 0) a.threads = {config.device.threads};
    }
    if (given.count("num-envs")) a.num_envs = {positive("num-envs", given["num-envs"].as<int>())};
    if (given.count("threads")) a.threads = {positive("threads", given["threads"].as<int>())};
  } catch (const cxxopts::exceptions::exception& e) {
    throw UserError(std::string(e.what()) + "; see orbit_bench " + bench + " --help");
  }
  return a;
}

int parts_of(const Arguments& a) { return a.bench == "train" ? 3 : 2; }

struct Round {
  double wall[3], cpu[2];  // by part, each with those before; processor time of the rollout and with the updates
};

Round play_round(const Arguments& a, TrainingLoad& load) {
  const double start = cpu_seconds();
  load.play();
  const double rollout = cpu_seconds() - start;
  double learned = 0;
  if (a.bench == "train") {
    const int64_t all = load.minibatches(), count = a.minibatches ? std::min<int64_t>(a.minibatches, all) : all;
    const double before = cpu_seconds();
    load.learn(count);
    learned = (cpu_seconds() - before) * double(all) / double(count);
  }
  const LoadSeconds& s = load.seconds();
  const double rollout_wall = s.environment + s.inference;
  return {{s.environment, rollout_wall, rollout_wall + s.update}, {rollout, rollout + learned}};
}

nlohmann::json row_of(const Arguments& a, const TrainingLoad& load, const Config& config, int threads, int part,
                      const std::vector<Round>& rounds) {
  std::vector<double> rates, wall;
  for (const Round& r : rounds) {
    wall.push_back(r.wall[part]);
    rates.push_back(double(load.steps()) / r.wall[part]);
  }
  const double rate = median(rates);
  nlohmann::json row{{"bench", a.bench},
                     {"environment", config.environment.name},
                     {"num_envs", config.training.episodes_per_iter},
                     {"threads", threads},
                     {"part", kPartNames[part]},
                     {"steps_per_second", rate},
                     {"spread", spread(rates)},
                     {"ns_per_step", 1e9 / rate},
                     {"samples_per_second", rate * double(load.samples()) / double(load.steps())}};
  if (load.orbit_wars()) row.update({{"players", config.environment.players}, {"mean_fleets", load.mean_fleets()}});
  if (part > 0) {
    std::vector<double> cpu;
    for (const Round& r : rounds) cpu.push_back(r.cpu[part - 1]);
    row["cpu_ns_per_step"] = median(cpu) / double(load.steps()) * 1e9;
  }
  return row;
}

// Library products of one further iteration, by part. A clock around each of them slows small networks, hence the extra round.
struct Products {
  double flop[3] = {}, seconds[3] = {}, wall[3] = {};
};

Products count_products(const Arguments& a, TrainingLoad& load) {
  MatrixProducts counted;
  Products p;
  load.play();
  const LoadSeconds& s = load.seconds();
  p.flop[1] = p.flop[2] = counted.flop();
  p.seconds[1] = p.seconds[2] = counted.seconds();
  p.wall[1] = p.wall[2] = s.environment + s.inference;
  if (a.bench != "train") return p;
  counted.reset();
  const int64_t all = load.minibatches(), count = a.minibatches ? std::min<int64_t>(a.minibatches, all) : all;
  load.learn(count);
  const double scale = double(all) / double(count);
  p.flop[2] += counted.flop() * scale;
  p.seconds[2] += counted.seconds() * scale;
  p.wall[2] += load.seconds().update;
  return p;
}

void measure(const Arguments& a, const Config& config, const RecordedPlay* recorded, int threads, BenchTable& table) {
  at::set_num_threads(threads);
  TrainingLoad load(config, recorded);
  play_round(a, load);
  std::vector<Round> rounds;
  for (int i = 0; i < a.rounds; ++i) rounds.push_back(play_round(a, load));
  const double peak = peak_flop_per_second();
  const Products products = count_products(a, load);
  for (int part = 0; part < parts_of(a); ++part) {
    if (rounds[0].wall[part] == 0) {  // one operator plays the whole rollout: no clock can part the two
      table.leave_out();
      continue;
    }
    nlohmann::json row = row_of(a, load, config, threads, part, rounds);
    if (part > 0) {
      const double share = products.seconds[part] / products.wall[part];
      row["share"] = {{"matrix products", share}, {"the rest", 1 - share}};
      row["product_flop_per_step"] = products.flop[part] / double(load.steps());
      if (products.seconds[part] > 0) row["product_flop_per_second"] = products.flop[part] / products.seconds[part];
      row["peak_flop_per_second"] = peak;
      row["share_of_peak"] = products.flop[part] / products.wall[part] / peak;
    }
    table.add(row);
  }
}

// The games of --fleets, if it is given.
std::optional<RecordedPlay> recorded_games(const Arguments& a, const Config& config) {
  if (!a.fleets) return std::nullopt;
  if (config.environment.name != "orbit_wars") throw UserError("--fleets: only for --environment orbit_wars");
  if (!device_of(config).is_cpu()) throw UserError("--fleets: recorded games are played on a CPU; use --set device.type=cpu");
  return load_recorded_play(recorded_play_files(recorded_play_folder(), int(config.environment.players), *a.fleets));
}

int training_bench(const std::string& bench, int argc, char** argv) {
  const Arguments a = parse(bench, argc, argv);
  if (!a.help.empty()) {
    std::fputs(a.help.c_str(), stdout);
    return 0;
  }
  log_warnings_only();
  std::vector<Config> configs;  // all of them before the first is measured, so that a mistake costs no time
  for (int num_envs : a.num_envs) {
    std::vector<std::string> overrides = a.overrides;
    overrides.push_back("training.episodes_per_iter=" + std::to_string(num_envs));
    configs.push_back(load_config(a.config_path, overrides));
  }
  const std::optional<RecordedPlay> recorded = recorded_games(a, configs[0]);
  BenchTable table(a.json_target, int(configs.size() * a.threads.size()) * parts_of(a));
  for (const Config& config : configs)
    for (int threads : a.threads) measure(a, config, recorded ? &*recorded : nullptr, threads, table);
  return 0;
}

}  // namespace

int rollout_bench(int argc, char** argv) { return training_bench("rollout", argc, argv); }
int train_bench(int argc, char** argv) { return training_bench("train", argc, argv); }

}  // namespace orbit

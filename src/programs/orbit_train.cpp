// Trains a policy: orbit_train --config FILE.
#define CXXOPTS_VECTOR_DELIMITER '\0'  // --set takes lists, so commas do not part values
#include <cstdio>
#include <cxxopts.hpp>
#include <filesystem>
#include "src/common/atomic_file.h"
#include "src/common/error.h"
#include "src/common/log.h"
#include "src/common/machine.h"
#include "src/common/signals.h"
#include "src/report/html_report.h"
#include "src/report/resume.h"
#include "src/report/run_folder.h"
#include "src/report/seed_summary.h"
#include "src/trainer.h"

namespace orbit {
namespace {

struct Arguments {
  std::string config_path, resume, device;
  std::vector<std::string> overrides;
  bool dry_run = false;
  bool report = false;  // of report_folders, into report_file, instead of training
  std::vector<std::string> report_folders;
  std::string report_file;
  std::string printed;  // by --help and --version, instead of training
};

Arguments parse(int argc, char** argv) {
  cxxopts::Options options("orbit_train", "Trains a policy by PPO, as a YAML file describes it (configs/README.md).\n");
  options.custom_help("--config FILE [OPTION...]").positional_help("");
  options.add_options()  //
      ("config", "settings of the run", cxxopts::value<std::string>(), "FILE")
      ("set", "change a setting, e.g. training.lr=3e-4 (repeatable)", cxxopts::value<std::vector<std::string>>(),
       "key.path=value")
      ("resume", "go on with a run: its folder, or auto for the newest in output.run_dir", cxxopts::value<std::string>(),
       "auto|FOLDER")
      ("device", "cpu or cuda, the same as --set device.type=...", cxxopts::value<std::string>(), "cpu|cuda")
      ("dry-run", "print all settings and the sizes of everything, and stop")
      ("report", "write the report of runs anew: their folders, or folders that hold runs, and stop",
       cxxopts::value<std::vector<std::string>>(), "FOLDER...")
      ("output", "with --report: the file to write; else report.html in the folder, or here where there are several",
       cxxopts::value<std::string>(), "FILE")
      ("env-library", "an environment that scripts/gym_to_kernel.py made, the same as --set environment.library=...", cxxopts::value<std::string>(), "FILE")
      ("help", "print this")
      ("version", "print the version");
  options.add_options("positional")("folders", "", cxxopts::value<std::vector<std::string>>());
  options.parse_positional("folders");
  Arguments arguments;
  try {
    const cxxopts::ParseResult given = options.parse(argc, argv);
    if (!given.unmatched().empty()) throw UserError("unexpected argument \"" + given.unmatched()[0] + "\"; see --help");
    if (given.count("help")) arguments.printed = options.help({""});
    else if (given.count("version")) arguments.printed = "orbit_train " ORBIT_VERSION "\n";
    const auto text = [&](const char* name) { return given.count(name) ? given[name].as<std::string>() : std::string(); };
    const auto list = [&](const char* name) {
      return given.count(name) ? given[name].as<std::vector<std::string>>() : std::vector<std::string>();
    };
    arguments.config_path = text("config");
    arguments.resume = text("resume");
    arguments.device = text("device");
    arguments.overrides = list("set");
    arguments.report = given.count("report") > 0;
    arguments.report_folders = list("report");
    const std::vector<std::string> positional = list("folders");
    if (!positional.empty() && !arguments.report) throw UserError("unexpected argument \"" + positional[0] + "\"; see --help");
    arguments.report_folders.insert(arguments.report_folders.end(), positional.begin(), positional.end());
    arguments.report_file = text("output");
    if (!arguments.report_file.empty() && !arguments.report)
      throw UserError("--output: only with --report; a run's folder is named by output.run_dir");
    arguments.dry_run = given.count("dry-run") > 0;
    if (given.count("env-library")) arguments.overrides.push_back("environment.library=" + text("env-library"));
    if (given.count("resume") && arguments.resume.empty()) throw UserError("--resume: a run's folder is expected, or auto");
  } catch (const cxxopts::exceptions::exception& e) {
    throw UserError(std::string(e.what()) + "; see --help");
  }
  return arguments;
}

int write_report(const std::vector<std::string>& folders, std::string file) {
  const std::vector<RunRecord> runs = read_runs(folders);
  const std::string title = folders.size() == 1 ? folders[0] : std::to_string(runs.size()) + " runs";
  if (file.empty()) file = folders.size() == 1 ? report_of(folders[0]) : "report.html";
  write_text_atomically(file, html_report(title, runs));
  log_info("report of " + std::to_string(runs.size()) + (runs.size() == 1 ? " run: " : " runs: ") + file);
  return 0;
}

int train_one(const Arguments& arguments, const std::vector<std::string>& overrides, const std::string& resume) {
  const RunChoice choice = choose_run(arguments.config_path, overrides, resume);
  require_device(choice.config.device.type);
  if (choice.finished) {
    log_info(choice.folder + " has finished its " + std::to_string(choice.config.training.iterations) +
             " iterations; more: --set training.iterations=...");
    return 0;
  }
  if (arguments.dry_run) {
    std::fputs(to_yaml(choice.config).c_str(), stdout);
    for (const std::string& line : ignored_settings(choice.config)) log_warning(line);
  }
  for (const std::string& note : choice.notes) log_info(note);
  return train(choice.config, {arguments.config_path, choice.folder.empty() ? resume : choice.folder, arguments.dry_run});
}

// A run a seed in a folder NAME-seedS, then a summary over them in NAME-seeds.json and .html. With --resume auto, what is finished
// stays and what is not goes on.
int train_seeds(const Arguments& arguments, const Config& config) {
  if (!arguments.resume.empty() && arguments.resume != "auto")
    throw UserError("--resume " + arguments.resume + ": with training.seeds > 1 only auto, which goes on with all of them");
  const std::string name = config.output.run_name.value_or(std::filesystem::path(arguments.config_path).stem().string());
  std::vector<int64_t> seeds;
  std::vector<std::string> folders;
  std::vector<std::vector<MetricsRow>> runs;
  for (int64_t k = 0; k < config.training.seeds; ++k) {
    const int64_t seed = config.training.seed + k;
    const std::string run = name + "-seed" + std::to_string(seed);
    std::vector<std::string> overrides = arguments.overrides;
    overrides.insert(overrides.end(), {"training.seeds=1", "training.seed=" + std::to_string(seed), "output.run_name=" + run});
    const int code = train_one(arguments, overrides, arguments.resume);
    if (code != 0 || stop_requested()) return code;
    seeds.push_back(seed);
    folders.push_back(config.output.run_dir + "/" + run);
    runs.push_back(MetricsFile(folders.back() + "/" + config.output.metrics_filename).rows());
  }
  const auto statistics = summarize_seeds(runs);
  const std::string stem = config.output.run_dir + "/" + name + "-seeds", file = stem + ".json";
  write_text_atomically(file, seed_summary_json(seeds, statistics));
  log_info(std::to_string(seeds.size()) + " seeds, at their end (all in " + file + "):\n" + seed_summary_text(statistics));
  if (folders.size() > 1) write_report(folders, stem + ".html");
  return 0;
}

int run(int argc, char** argv) {
  Arguments arguments = parse(argc, argv);
  if (!arguments.printed.empty()) {
    std::fputs(arguments.printed.c_str(), stdout);
    return 0;
  }
  if (arguments.report) return write_report(arguments.report_folders, arguments.report_file);
  const bool folder_given = !arguments.resume.empty() && arguments.resume != "auto";
  if (arguments.config_path.empty() && !folder_given) {
    throw UserError("--config FILE is required, e.g. --config configs/ppo.yaml");
  }
  if (!arguments.device.empty()) {
    if (arguments.device != "cpu" && arguments.device != "cuda") {
      throw UserError("--device " + arguments.device + ": expected cpu or cuda");
    }
    arguments.overrides.push_back("device.type=" + arguments.device);
  }

  if (!arguments.config_path.empty() && !arguments.dry_run) {
    if (const Config config = load_config(arguments.config_path, arguments.overrides); config.training.seeds > 1)
      return train_seeds(arguments, config);
  }
  return train_one(arguments, arguments.overrides, arguments.resume);
}

}  // namespace
}  // namespace orbit

int main(int argc, char** argv) {
  return orbit::run_program("orbit_train", [&] { return orbit::run(argc, argv); });
}

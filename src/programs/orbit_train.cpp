// Trains a policy: orbit_train --config FILE.
#define CXXOPTS_VECTOR_DELIMITER '\0'  // --set takes lists, so commas do not part values
#include <cstdio>
#include <cxxopts.hpp>
#include "src/common/atomic_file.h"
#include "src/common/error.h"
#include "src/common/log.h"
#include "src/common/machine.h"
#include "src/report/html_report.h"
#include "src/report/resume.h"
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
      ("env-library", "a converted environment", cxxopts::value<std::string>(), "FILE")
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
    if (!arguments.report_file.empty() && !arguments.report) throw UserError("--output: only with --report; a run's folder is named by output.run_dir");
    arguments.dry_run = given.count("dry-run") > 0;
    if (given.count("env-library")) throw UserError("--env-library: converted environments are not available in this version");
    if (given.count("resume") && arguments.resume.empty()) throw UserError("--resume: a run's folder is expected, or auto");
  } catch (const cxxopts::exceptions::exception& e) {
    throw UserError(std::string(e.what()) + "; see --help");
  }
  return arguments;
}

int write_report(const std::vector<std::string>& folders, std::string file) {
  const std::vector<RunRecord> runs = read_runs(folders);
  const std::string title = folders.size() == 1 ? folders[0] : std::to_string(runs.size()) + " runs";
  if (file.empty()) file = folders.size() == 1 ? folders[0] + "/report.html" : "report.html";
  write_text_atomically(file, html_report(title, runs));
  log_info("report of " + std::to_string(runs.size()) + (runs.size() == 1 ? " run: " : " runs: ") + file);
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

  const RunChoice choice = choose_run(arguments.config_path, arguments.overrides, arguments.resume);
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
  const std::string resume = choice.folder.empty() ? arguments.resume : choice.folder;
  return train(choice.config, {arguments.config_path, resume, arguments.dry_run});
}

}  // namespace
}  // namespace orbit

int main(int argc, char** argv) {
  return orbit::run_program("orbit_train", [&] { return orbit::run(argc, argv); });
}

// Trains a policy: orbit_train --config FILE.
#define CXXOPTS_VECTOR_DELIMITER '\0'  // --set takes lists, so commas do not part values
#include <cstdio>
#include <cxxopts.hpp>
#include "src/common/error.h"
#include "src/common/log.h"
#include "src/common/machine.h"
#include "src/report/resume.h"
#include "src/trainer.h"

namespace orbit {
namespace {

struct Arguments {
  std::string config_path, resume, device;
  std::vector<std::string> overrides;
  bool dry_run = false;
  std::string printed;  // by --help and --version, instead of training
};

Arguments parse(int argc, char** argv) {
  cxxopts::Options options("orbit_train", "Trains a policy by PPO, as a YAML file describes it (configs/README.md).\n");
  options.custom_help("--config FILE [OPTION...]");
  options.add_options()  //
      ("config", "settings of the run", cxxopts::value<std::string>(), "FILE")
      ("set", "change a setting, e.g. training.lr=3e-4 (repeatable)", cxxopts::value<std::vector<std::string>>(),
       "key.path=value")
      ("resume", "go on with a run: its folder, or auto for the newest in output.run_dir", cxxopts::value<std::string>(),
       "auto|FOLDER")
      ("device", "cpu or cuda, the same as --set device.type=...", cxxopts::value<std::string>(), "cpu|cuda")
      ("dry-run", "print all settings and the sizes of everything, and stop")
      ("env-library", "a converted environment", cxxopts::value<std::string>(), "FILE")
      ("help", "print this")
      ("version", "print the version");
  Arguments arguments;
  try {
    const cxxopts::ParseResult given = options.parse(argc, argv);
    if (!given.unmatched().empty()) throw UserError("unexpected argument \"" + given.unmatched()[0] + "\"; see --help");
    if (given.count("help")) arguments.printed = options.help();
    else if (given.count("version")) arguments.printed = "orbit_train " ORBIT_VERSION "\n";
    const auto text = [&](const char* name) { return given.count(name) ? given[name].as<std::string>() : std::string(); };
    arguments.config_path = text("config");
    arguments.resume = text("resume");
    arguments.device = text("device");
    if (given.count("set")) arguments.overrides = given["set"].as<std::vector<std::string>>();
    arguments.dry_run = given.count("dry-run") > 0;
    if (given.count("env-library")) throw UserError("--env-library: converted environments are not available in this version");
    if (given.count("resume") && arguments.resume.empty()) throw UserError("--resume: a run's folder is expected, or auto");
  } catch (const cxxopts::exceptions::exception& e) {
    throw UserError(std::string(e.what()) + "; see --help");
  }
  return arguments;
}

int run(int argc, char** argv) {
  Arguments arguments = parse(argc, argv);
  if (!arguments.printed.empty()) {
    std::fputs(arguments.printed.c_str(), stdout);
    return 0;
  }
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

#include "src/report/run_folder.h"
#include <cerrno>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sys/stat.h>
#include "src/common/atomic_file.h"
#include "src/common/error.h"
#include "src/common/log.h"
#include "src/common/machine.h"

namespace orbit {
namespace {
namespace fs = std::filesystem;

std::string time_text(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  localtime_r(&now, &parts);
  char text[64];
  return {text, std::strftime(text, sizeof text, format, &parts)};
}

std::string now_text() { return time_text("%Y-%m-%dT%H:%M:%S%z"); }

void make_run_dir(const std::string& run_dir) {
  std::error_code error;
  fs::create_directories(run_dir, error);
  if (error) throw UserError(run_dir + ": cannot be made (" + error.message() + "); choose another output.run_dir");
}

// Whether a folder of this name was made; false where it exists already.
bool make_folder(const std::string& path) {
  if (::mkdir(path.c_str(), 0777) == 0) return true;
  if (errno == EEXIST) return false;
  throw UserError(path + ": cannot be made (" + std::strerror(errno) + "); choose another output.run_dir");
}

// CONFIG-20250131-120000, with a number after it where two runs start in one second.
std::string make_dated_folder(const std::string& run_dir, const std::string& config_path) {
  const std::string stem = fs::path(config_path).stem().string();
  const std::string name = run_dir + "/" + stem + "-" + time_text("%Y%m%d-%H%M%S");
  for (int twin = 1;; ++twin) {
    const std::string path = twin == 1 ? name : name + "-" + std::to_string(twin);
    if (make_folder(path)) return path;
  }
}

nlohmann::ordered_json read_json(const std::string& path) {
  std::ifstream file(path);
  auto value = nlohmann::ordered_json::parse(file, nullptr, false);
  return value.is_object() ? value : nlohmann::ordered_json::object();
}

}  // namespace

RunFolder RunFolder::open(const Config& config, const std::string& config_path, const std::string& resume) {
  const bool is_new = resume.empty() || resume == "auto";
  return is_new ? create(config, config_path, !resume.empty()) : reopen(resume, config);
}

RunFolder RunFolder::create(const Config& config, const std::string& config_path, bool resuming) {
  const OutputConfig& output = config.output;
  make_run_dir(output.run_dir);
  std::string path;
  if (output.run_name) {
    path = output.run_dir + "/" + *output.run_name;
    if (!make_folder(path) && !(resuming && fs::is_directory(path) && !fs::exists(checkpoint_of(path)))) {
      throw UserError(path + ": exists already; choose another output.run_name, or go on with it by --resume " + path);
    }
  } else {
    path = make_dated_folder(output.run_dir, config_path);
  }
  RunFolder run(path, config);
  nlohmann::ordered_json meta;
  meta["name"] = fs::path(path).filename().string();
  meta["status"] = "running";
  meta["iterations"] = 0;
  meta["started"] = now_text();
  // What the config file alone says, so that a resume can tell a file edited since from settings given by --set.
  meta["config_file"] = config_path;
  for (const auto& [key, value] : settings_of(load_config(config_path))) meta["config_file_settings"][key] = value;
  for (const auto& [key, value] : describe_machine()) meta["machine"][key] = value;
  write_text_atomically(path + "/config.yaml", to_yaml(config));
  write_text_atomically(path + "/" + output.run_meta_filename, meta.dump(2) + "\n");
  run.open_log();
  return run;
}

RunFolder RunFolder::reopen(const std::string& folder, const Config& config) {
  RunFolder run(folder, config);
  run.open_log();
  write_text_atomically(folder + "/config.yaml", to_yaml(config));
  const std::string meta_path = folder + "/" + config.output.run_meta_filename;
  nlohmann::ordered_json meta = read_json(meta_path);
  meta["status"] = "running";
  meta["resumed"].push_back(now_text());
  for (const auto& [key, value] : describe_machine()) meta["machine"][key] = value;
  write_text_atomically(meta_path, meta.dump(2) + "\n");
  return run;
}

void RunFolder::set_status(const std::string& status, int iterations) const {
  const std::string meta_path = path_ + "/" + config_.output.run_meta_filename;
  nlohmann::ordered_json meta = read_json(meta_path);
  meta["status"] = status;
  meta["iterations"] = iterations;
  meta[status == "running" ? "saved" : "ended"] = now_text();
  write_text_atomically(meta_path, meta.dump(2) + "\n");
}

void RunFolder::open_log() const {
  log_to_file(path_ + "/train.log");
  for (const std::string& line : ignored_settings(config_)) log_warning(line);
}

}  // namespace orbit

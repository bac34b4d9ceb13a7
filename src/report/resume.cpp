#include "src/report/resume.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include "src/common/error.h"
#include "src/report/run_folder.h"

namespace orbit {
namespace {
namespace fs = std::filesystem;

// Keys and sections whose change would fit neither the saved weights nor the saved state of games and rollout.
const std::vector<std::string> kFixed = {
    "model.", "bc_warmstart.", "environment.",
    "training.algo", "training.seed", "training.episodes_per_iter", "training.horizon",
    "training.minibatch_size", "training.ppo_epochs", "training.observation_norm", "training.reward_norm", "training.seeds",
    "training.opponent", "training.resume_from", "training.decoder", "training.aim", "training.self_target", "training.history",
    "output.weights_filename", "output.metrics_filename", "output.run_meta_filename"};

bool is_fixed(const std::string& key) {
  return std::any_of(kFixed.begin(), kFixed.end(), [&](const std::string& fixed) {
    return fixed.back() == '.' ? key.starts_with(fixed) : key == fixed;
  });
}

// The newest run of a folder by its checkpoint, "" where none has one.
std::string newest_run(const OutputConfig& output) {
  std::string newest;
  fs::file_time_type newest_time;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(output.run_dir, error)) {
    if (output.run_name && entry.path().filename() != *output.run_name) continue;
    const fs::path checkpoint = checkpoint_of(entry.path().string());
    std::error_code missing;
    const auto time = fs::last_write_time(checkpoint, missing);
    if (missing || (!newest.empty() && time <= newest_time)) continue;
    newest = output.run_dir + "/" + entry.path().filename().string();
    newest_time = time;
  }
  return newest;
}

nlohmann::json read_meta(const std::string& folder, const Config& config) {
  std::ifstream file(folder + "/" + config.output.run_meta_filename);
  auto meta = nlohmann::json::parse(file, nullptr, false);
  return meta.is_object() ? meta : nlohmann::json::object();
}

// What was edited in the config file since the run began, as overrides.
std::vector<std::string> edits(const std::string& config_path, const nlohmann::json& meta) {
  std::vector<std::string> overrides;
  if (config_path.empty() || !meta.contains("config_file_settings")) return overrides;
  Settings before;
  for (const auto& [key, value] : meta["config_file_settings"].items()) before.emplace_back(key, value.get<std::string>());
  for (const SettingChange& change : changes(before, settings_of(load_config(config_path)))) {
    overrides.push_back(change.key + "=" + change.to);
  }
  return overrides;
}

RunChoice go_on(const std::string& config_path, const std::vector<std::string>& overrides, const std::string& folder) {
  const std::string own_path = folder + "/config.yaml";
  const Config own = load_config(own_path);
  const nlohmann::json meta = read_meta(folder, own);
  std::vector<std::string> all = edits(config_path, meta);
  all.insert(all.end(), overrides.begin(), overrides.end());
  RunChoice choice;
  choice.config = load_config(own_path, all);
  choice.config.output.run_dir = own.output.run_dir;
  choice.config.output.run_name = own.output.run_name;
  choice.folder = folder;
  for (const SettingChange& change : changes(settings_of(own), settings_of(choice.config))) {
    if (is_fixed(change.key)) {
      throw UserError(folder + ": the run has " + change.key + " " + change.from + " and cannot go on with " + change.to +
                      "; leave it as it was, or start a new run without --resume");
    }
    choice.notes.push_back(change.key + " is now " + change.to + ", it was " + change.from);
  }
  // Its report is what is written last: a run that died on the way there writes it when it goes on.
  choice.finished = meta.value("status", "") == "finished" && meta.value("iterations", 0) >= choice.config.training.iterations &&
                    fs::exists(report_of(folder));
  return choice;
}

}  // namespace

RunChoice choose_run(const std::string& config_path, const std::vector<std::string>& overrides, const std::string& resume) {
  if (!resume.empty() && resume != "auto") {
    const std::string flag = "--resume " + resume;
    if (!fs::is_directory(resume)) throw UserError(flag + ": no such folder; give a run's folder, or auto");
    if (!fs::exists(checkpoint_of(resume))) throw UserError(flag + ": has no last.pt, so nothing was saved to go on from");
    return go_on(config_path, overrides, resume);
  }
  RunChoice choice;
  choice.config = load_config(config_path, overrides);
  const std::string newest = resume == "auto" ? newest_run(choice.config.output) : "";
  return newest.empty() ? choice : go_on(config_path, overrides, newest);
}

}  // namespace orbit

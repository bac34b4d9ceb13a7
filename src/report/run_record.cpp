#include "src/report/run_record.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include "src/common/error.h"
#include "src/config/load.h"

namespace orbit {
namespace {
namespace fs = std::filesystem;

bool is_run(const fs::path& folder) { return fs::is_regular_file(folder / "config.yaml"); }

}  // namespace

RunRecord read_run(const std::string& folder) {
  if (!is_run(folder)) throw UserError(folder + ": no run's folder (it has no config.yaml)");
  RunRecord run;
  run.name = fs::weakly_canonical(folder).filename().string();
  run.config = load_config(folder + "/config.yaml");
  run.rows = MetricsFile(folder + "/" + run.config.output.metrics_filename).rows();
  std::ifstream file(folder + "/" + run.config.output.run_meta_filename);
  const auto meta = nlohmann::ordered_json::parse(file, nullptr, false);
  if (!meta.is_object()) return run;
  const auto text = [](const nlohmann::ordered_json& object, const std::string& key, const std::string& otherwise) {
    return object.contains(key) && object[key].is_string() ? object[key].get<std::string>() : otherwise;
  };
  run.status = text(meta, "status", run.status);
  run.started = text(meta, "started", "");
  if (meta.contains("machine") && meta["machine"].is_object())
    for (const auto& [key, value] : meta["machine"].items()) run.machine.emplace_back(key, text(meta["machine"], key, ""));
  return run;
}

std::vector<RunRecord> read_runs(const std::vector<std::string>& folders) {
  std::vector<RunRecord> runs;
  for (const std::string& folder : folders) {
    if (!fs::is_directory(folder)) throw UserError(folder + ": no such folder; give a run's folder, or one that holds runs");
    if (is_run(folder)) {
      runs.push_back(read_run(folder));
      continue;
    }
    std::vector<std::string> inside;
    for (const auto& entry : fs::directory_iterator(folder))
      if (is_run(entry.path())) inside.push_back(entry.path().string());
    if (inside.empty()) throw UserError(folder + ": neither a run's folder nor one that holds runs (no config.yaml)");
    std::sort(inside.begin(), inside.end());
    for (const std::string& run : inside) runs.push_back(read_run(run));
  }
  return runs;
}

}  // namespace orbit

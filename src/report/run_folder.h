// The folder of one run: RUN_DIR/NAME with config.yaml, metrics.json, run.json, train.log, checkpoints and report.html.
#pragma once
#include <string>
#include "src/config/load.h"

namespace orbit {

// What a run saves to go on from, and what it writes last, in the folder of any run.
inline std::string checkpoint_of(const std::string& folder) { return folder + "/last.pt"; }
inline std::string report_of(const std::string& folder) { return folder + "/report.html"; }

class RunFolder {
 public:
  // `resume` is "" or "auto" for a new run, else the folder of the run that goes on (see resume.h).
  // A new run's folder is named by output.run_name, else by the config file and the time; a named one that exists already is a
  // UserError, unless `resume` is auto and nothing was saved in it. Writes config.yaml and run.json, opens train.log.
  static RunFolder open(const Config& config, const std::string& config_path, const std::string& resume);

  const std::string& path() const { return path_; }
  std::string checkpoint() const { return checkpoint_of(path_); }
  std::string best_weights() const { return path_ + "/" + config_.output.weights_filename; }
  std::string metrics() const { return path_ + "/" + config_.output.metrics_filename; }
  std::string report() const { return report_of(path_); }

  // Rewrites run.json: status is "running", "stopped" (by a signal) or "finished"; iterations are those done and saved.
  void set_status(const std::string& status, int iterations) const;

 private:
  RunFolder(std::string path, const Config& config) : path_(std::move(path)), config_(config) {}
  static RunFolder create(const Config& config, const std::string& config_path, bool resuming);
  static RunFolder reopen(const std::string& folder, const Config& config);
  void open_log() const;

  std::string path_;
  Config config_;
};

}  // namespace orbit

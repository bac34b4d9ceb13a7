// Everything that a run writes for people and scripts: its folder, metrics, progress lines, and the report at the end.
#pragma once
#include <optional>
#include <string>
#include "src/config/config.h"
#include "src/ppo/summary.h"
#include "src/report/event_file.h"
#include "src/report/metrics.h"
#include "src/report/progress.h"
#include "src/report/run_folder.h"

namespace orbit {

struct StageSeconds {
  double environment = 0, inference = 0, update = 0, total = 0, evaluation = 0, launch = 0;
};

using NamedNumbers = std::vector<std::pair<std::string, double>>;

// What greedy play outside of training came to.
struct EvaluationReport {
  double score = 0;  // the more the better
  NamedNumbers metrics;
  std::vector<std::string> lines;  // for people
  bool empty() const { return metrics.empty(); }
};

struct IterationReport {
  int64_t iteration = 0, samples = 0;
  std::string stage;  // scores of different stages do not compare: the opponent
  NamedNumbers task_metrics;  // of what is played, by name
  RolloutSummary rollout;
  UpdateSummary update;
  double learning_rate = 0, clip_eps = 0, entropy_coef = 0, kl_beta = 0;  // as the next iteration begins with them
  StageSeconds seconds;
  EvaluationReport evaluation;  // empty where the iteration did not evaluate
};

MetricsRow metrics_row(const IterationReport& report);

class RunReport {
 public:
  // Opens the run's folder (run_folder.h).
  RunReport(const Config& config, const std::string& config_path, const std::string& resume);

  bool resumes() const { return resumes_; }
  std::string checkpoint_path() const { return folder_.checkpoint(); }
  std::string best_weights_path() const { return folder_.best_weights(); }

  // Before the first iteration of this process. Drops metrics from there on: those past the checkpoint, or of a run that was
  // killed before it had saved anything.
  void start_at(int64_t iteration);
  void add(const IterationReport& report);
  void stopped(int64_t iterations_done);
  void finished(int64_t iterations_done);

 private:
  void write_page() const;

  Config config_;
  std::string config_path_;
  bool resumes_;
  RunFolder folder_;
  MetricsFile metrics_;
  std::optional<EventFile> events_;
  Progress progress_;
};

}  // namespace orbit

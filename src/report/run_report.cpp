#include "src/report/run_report.h"
#include "src/common/atomic_file.h"
#include "src/common/log.h"
#include "src/config/load.h"
#include "src/report/html_report.h"

namespace orbit {

MetricsRow metrics_row(const IterationReport& r) {
  MetricsRow row;
  row.set("iteration", double(r.iteration));
  row.set("samples", double(r.samples));
  row.set("episodes", double(r.rollout.episodes));
  if (r.rollout.episodes > 0) {
    row.set("episode_return", r.rollout.episode_return);
    row.set("episode_length", r.rollout.episode_length);
  }
  if (r.rollout.has_winners) {
    row.set("finished_games", double(r.rollout.finished));
    row.set("win_rate", r.rollout.win_rate);
    row.set("draw_rate", r.rollout.draw_rate);
  }
  row.set("policy_loss", r.update.policy_loss);
  row.set("value_loss", r.update.value_loss);
  row.set("entropy", r.update.entropy);
  row.set("reference_kl", r.update.kl);
  row.set("approx_kl", r.update.approx_kl);
  row.set("clip_fraction", r.update.clip_fraction);
  row.set("explained_variance", r.rollout.explained_variance);
  row.set("grad_norm", r.update.grad_norm);
  row.set("lr", r.learning_rate);
  row.set("clip_eps", r.clip_eps);
  row.set("entropy_coef", r.entropy_coef);
  row.set("kl_beta", r.kl_beta);
  row.set("updates", double(r.update.updates));
  row.set("diverged", r.update.diverged);
  for (const NamedNumbers* more : {&r.task_metrics, &r.evaluation.metrics})
    for (const auto& [name, value] : *more) row.set(name, value);

  const double samples = double(r.rollout.samples), environment = r.seconds.environment, inference = r.seconds.inference;
  const auto rate = [&](double seconds) { return seconds > 0 ? samples / seconds : 0.0; };
  row.set("env_per_second", rate(environment));
  row.set("inference_per_second", rate(environment + inference));
  row.set("update_per_second", rate(environment + inference + r.seconds.update));
  row.set("time_env", environment);
  row.set("time_inference", inference);
  row.set("time_launch", r.seconds.launch);
  row.set("time_update", r.seconds.update);
  row.set("time_evaluation", r.seconds.evaluation);
  row.set("time_iteration", r.seconds.total);
  return row;
}

RunReport::RunReport(const Config& config, const std::string& config_path, const std::string& resume)
    : config_(config),
      config_path_(config_path),
      resumes_(!resume.empty() && resume != "auto"),
      folder_(RunFolder::open(config, config_path, resume)),
      metrics_(folder_.metrics()),
      progress_(config.training.iterations) {}

void RunReport::start_at(int64_t iteration) {
  metrics_.cut_from(iteration);
  if (config_.output.tensorboard) events_.emplace(folder_.path(), iteration);
  if (resumes_ && iteration < config_.training.iterations)
    log_info("goes on at iteration " + std::to_string(iteration + 1) + " of " + std::to_string(config_.training.iterations));
}

void RunReport::add(const IterationReport& report) {
  const MetricsRow row = metrics_row(report);
  metrics_.append(row);
  if (events_) events_->append(row);
  log_info(progress_.line(row));
  for (const std::string& line : report.evaluation.lines) log_info("  " + line);
}

void RunReport::stopped(int64_t iterations_done) {
  folder_.set_status("stopped", int(iterations_done));
  write_page();
  const std::string config = config_path_.empty() ? "" : "--config " + config_path_ + " ";
  log_info("stopped and saved; go on with: orbit_train " + config + "--resume " + folder_.path());
}

void RunReport::finished(int64_t iterations_done) {
  folder_.set_status("finished", int(iterations_done));
  write_page();
  log_info("finished: weights in " + folder_.best_weights() + ", report in " + folder_.report());
}

void RunReport::write_page() const { write_text_atomically(folder_.report(), html_report(folder_.path(), {read_run(folder_.path())})); }

}  // namespace orbit

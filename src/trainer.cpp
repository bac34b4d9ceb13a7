#include "src/trainer.h"
#include <chrono>
#include <cstdio>
#include <cstring>
#include "src/checkpoint/run_state.h"
#include "src/common/error.h"
#include "src/common/log.h"
#include "src/common/signals.h"
#include "src/config/load.h"
#include "src/ppo/advantage.h"
#include "src/ppo/summary.h"
#include "src/report/run_report.h"
#include "src/setup.h"
#include "src/train_state.h"
#include "src/training_task.h"

namespace orbit {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// An iteration reads in the order in which data flows: rollout -> advantages -> updates -> checkpoint and report.
class Trainer {
 public:
  explicit Trainer(const Config& config);
  Trainer(const Trainer&) = delete;
  void resume(const std::string& checkpoint);
  bool finished() const { return state_.iteration >= config_.training.iterations; }
  int64_t iterations_done() const { return state_.iteration; }

  // Returns false if a signal ended it early; the state then holds how far it is.
  bool iterate(RunReport& report);
  void save(const std::string& checkpoint) const { save_run_state(checkpoint, state_, batch_); }
  void print_sizes() const;

 private:
  bool collect();
  Advantages advantages() const;
  void recover(IterationReport& row, const RunReport& report);
  bool evaluate(IterationReport& row);
  void keep_best(const IterationReport& row, const RunReport& report);

  Config config_;
  std::unique_ptr<TrainingTask> training_task_;
  TrainState state_;
  RolloutBatch batch_;
  Rollout rollout_;
  Update update_;
};

Trainer::Trainer(const Config& config)
    : config_(config),
      training_task_(make_training_task(config)),
      state_(make_train_state(config, training_task_->task().rows(), layout_of(config))),
      batch_(make_rollout_batch(config.training.horizon, training_task_->task())),
      rollout_(rollout_options(config), training_task_->task(), *state_.policy, batch_, capture_backend(config)),
      update_(update_options(config), *state_.policy, has_kl_term(config) ? state_.reference.get() : nullptr, *state_.optimizer, batch_,
              state_.updates, capture_backend(config)) {
  state_.task = copies_of(training_task_->state());
}

void Trainer::resume(const std::string& checkpoint) {
  load_run_state(checkpoint, state_, batch_);
  training_task_->restore(state_.task);
}

bool Trainer::iterate(RunReport& report) {
  const auto start = Clock::now();
  IterationReport row;
  row.iteration = state_.iteration;
  if (!state_.updates.under_way && !collect()) return false;
  const Advantages advantages = this->advantages();
  const bool normalise = config_.training.advantage_norm == "rollout";
  const at::Tensor advantage = normalise ? normalise_advantages(advantages.advantage, batch_.active) : advantages.advantage;

  const auto update_start = Clock::now();
  if (!state_.updates.under_way) state_.updates.begin();
  state_.policy->train(true);
  if (!update_.run(advantage, advantages.ret, state_.iteration, stop_requested)) return false;

  row.rollout = summarize(batch_, advantages);
  row.update = summarize(state_.updates);
  row.learning_rate = state_.optimizer->learning_rate().item<double>();
  const LossCoefficients coefficients = update_.coefficients();
  row.clip_eps = coefficients.clip_eps.item<double>();
  row.entropy_coef = coefficients.entropy_coef.item<double>();
  row.kl_beta = coefficients.kl_beta.item<double>();
  training_task_->describe(row);
  row.seconds = {rollout_.times().environment, rollout_.times().inference, seconds_since(update_start), seconds_since(start)};
  row.seconds.launch = rollout_.times().launch;
  if (row.update.diverged) {
    recover(row, report);
  } else {
    if (!evaluate(row)) return false;
    keep_best(row, report);
    state_.policy->learn_statistics(tensors_of(batch_.observation), batch_.active);
    state_.setbacks = 0;
  }
  training_task_->end_iteration(state_, row);
  state_.updates.under_way = false;
  state_.samples += row.rollout.samples;
  row.samples = state_.samples;
  state_.iteration += 1;
  report.add(row);
  return true;
}

bool Trainer::collect() {
  state_.remember();
  state_.policy->train(false);
  if (training_task_->begin_rollout(state_)) rollout_.recapture();
  const auto play = [&] {
    training_task_->restore(state_.task);
    return rollout_.collect(stop_requested);
  };
  if (!play()) return false;
  if (state_.policy->needs_statistics()) {  // the first rollout of all only shows what observations look like, and is played anew
    for (const auto& p : {state_.policy, state_.reference})
      if (p) p->learn_statistics(tensors_of(batch_.observation), batch_.active);
    state_.remember();
    if (!play()) return false;
  }
  if (state_.reward_norm) state_.reward_norm->add(batch_, rollout_.goes_on());
  training_task_->end_rollout();
  state_.task = copies_of(training_task_->state());
  return true;
}

Advantages Trainer::advantages() const {
  RolloutBatch batch = batch_;
  if (state_.reward_norm) batch.reward = state_.reward_norm->normalise(batch.reward);
  return compute_gae(batch, config_.training.gamma, config_.training.gae_lambda);
}

// The updates of this iteration did harm, or their rollout was no good: everything is as it was before them, and the next
// rollout is another one.
void Trainer::recover(IterationReport& row, const RunReport& report) {
  constexpr int64_t kMostSetbacks = 5;  // in a row; more of them are no accident
  state_.roll_back();
  state_.updates.under_way = false;
  state_.setbacks += 1;
  char what[160];
  std::snprintf(what, sizeof what, "iteration %lld: the loss diverged (%g after %lld updates); back to the weights before them",
                static_cast<long long>(row.iteration + 1), row.update.diverged_loss, static_cast<long long>(row.update.updates));
  if (config_.training.on_divergence == "stop" || state_.setbacks > kMostSetbacks) {
    save(report.checkpoint_path());
    throw RunError(std::string(what) + ", which are saved; lower training.lr or look at the rewards, then --resume");
  }
  state_.optimizer->lr_scale().mul_(config_.training.divergence_lr_factor);
  std::snprintf(what + std::strlen(what), sizeof what - std::strlen(what), ", learning rate times %g from now on",
                state_.optimizer->lr_scale().item<double>());
  log_warning(what);
}

// Returns false if a signal ended it early; it is then played anew when the run goes on.
bool Trainer::evaluate(IterationReport& row) {
  const int every = config_.evaluation.every;
  if (every == 0 || (state_.iteration + 1) % every != 0) return true;
  const auto start = Clock::now();
  state_.policy->train(false);
  row.evaluation = training_task_->evaluate(state_.policy, stop_requested);
  row.seconds.evaluation = seconds_since(start);
  return !row.evaluation.empty();
}

// The best weights by evaluation; until the first one, by the mean return of the iteration against the same opponent.
void Trainer::keep_best(const IterationReport& row, const RunReport& report) {
  const bool evaluated = !row.evaluation.empty();
  if (!evaluated && (state_.best_stage == "evaluation" || row.rollout.episodes == 0)) return;
  const double score = evaluated ? row.evaluation.score : row.rollout.episode_return;
  const std::string stage = evaluated ? "evaluation" : row.stage;
  if (stage == state_.best_stage && score < state_.best_score) return;
  state_.best_stage = stage;
  state_.best_score = score;
  save_weights(report.best_weights_path(), *state_.policy);
}

void Trainer::print_sizes() const {
  int64_t parameters = 0, optimizer = 0;
  for (const auto& [name, p] : state_.policy->named_parameters()) parameters += int64_t(p.nbytes());
  for (const auto* list : {&state_.optimizer->first_moments(), &state_.optimizer->second_moments()})
    for (const at::Tensor& t : *list) optimizer += int64_t(t.nbytes());
  const auto mib = [](int64_t bytes) { return double(bytes) / (1024.0 * 1024.0); };
  std::printf("# sizes\n");
  std::printf("parameters        %12lld  in %zu tensors, %.2f MiB\n", static_cast<long long>(state_.policy->parameter_count()),
              state_.policy->named_parameters().size(), mib(parameters));
  std::printf("optimizer state   %10.2f MiB\n", mib(optimizer));
  for (const MemorySize& size : training_task_->sizes())
    std::printf("%-17s %10.2f MiB  (%s)\n", size.name.c_str(), mib(size.bytes), size.of.c_str());
  std::printf("rollout           %10.2f MiB  (%lld steps x %lld rows)\n", mib(bytes_of(batch_)), static_cast<long long>(batch_.steps()),
              static_cast<long long>(batch_.rows()));
}

}  // namespace

int train(const Config& config, const TrainOptions& options) {
  use_threads(config);
  if (options.dry_run) {
    Trainer(config).print_sizes();
    return 0;
  }
  Trainer trainer(config);  // before the folder is made: a file that cannot be loaded leaves nothing behind
  RunReport report(config, options.config_path, options.resume);
  if (report.resumes()) trainer.resume(report.checkpoint_path());
  report.start_at(trainer.iterations_done());
  install_stop_handlers();
  while (!trainer.finished() && !stop_requested()) {
    if (!trainer.iterate(report)) break;
    if (trainer.finished() || trainer.iterations_done() % config.output.save_every == 0) trainer.save(report.checkpoint_path());
  }
  if (!trainer.finished()) {
    trainer.save(report.checkpoint_path());
    report.stopped(trainer.iterations_done());
    return 0;
  }
  report.finished(trainer.iterations_done());
  return 0;
}

}  // namespace orbit

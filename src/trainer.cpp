#include "src/trainer.h"
#include <chrono>
#include <cstdio>
#include "src/board_supply.h"
#include "src/checkpoint/run_state.h"
#include "src/common/log.h"
#include "src/common/signals.h"
#include "src/config/load.h"
#include "src/eval/evaluation.h"
#include "src/ppo/advantage.h"
#include "src/ppo/summary.h"
#include "src/report/run_report.h"
#include "src/setup.h"
#include "src/train_state.h"

namespace orbit {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// An iteration reads in the order in which data flows: rollout -> advantages -> updates -> checkpoint and report.
class Trainer {
 public:
  explicit Trainer(const Config& config);
  void resume(const std::string& checkpoint) { load_run_state(checkpoint, state_, batch_); }
  bool finished() const { return state_.iteration >= config_.training.iterations; }
  int64_t iterations_done() const { return state_.iteration; }

  // Returns false if a signal ended it early; the state then holds how far it is.
  bool iterate(RunReport& report);
  void save(const std::string& checkpoint) const { save_run_state(checkpoint, state_, batch_); }
  void print_sizes() const;

 private:
  bool collect();
  bool evaluate(IterationReport& row);
  void keep_best(const IterationReport& row, const RunReport& report);

  Config config_;
  bool self_play_;
  Seating seating_;
  BoardSupply boards_;
  VecEnv env_;
  TrainState state_;
  RolloutBatch batch_;
  Rollout rollout_;
  Update update_;
  std::unique_ptr<Evaluation> evaluation_;
};

TrainState new_state(const Config& config) {
  TrainState s;
  s.policy = make_policy(config);
  load_start_weights(*s.policy, config);
  if (needs_reference(config)) {
    s.reference = s.policy->clone();
    s.reference->train(false);
    s.reference->set_requires_grad(false);
  }
  s.optimizer = std::make_unique<AdamW>(s.policy->named_parameters(), optimizer_options(config));
  return s;
}

Seating learning_seats(const Config& config) {
  const int64_t n = config.training.episodes_per_iter, players = config.environment.players;
  if (config.training.opponent == "self") return {all_seats(n, players, device_of(config)), {}};
  return alternate_seats(n, players, device_of(config));
}

Trainer::Trainer(const Config& config)
    : config_(config),
      self_play_(config.training.opponent == "self"),
      seating_(learning_seats(config)),
      boards_(config.environment, device_of(config), config.device.threads),
      env_(environment_options(config, config.training.episodes_per_iter), boards_.bank()),
      state_(new_state(config)),
      batch_(make_rollout_batch(config.training.horizon, env_.count(), seating_.own.size(1), device_of(config))),
      rollout_(rollout_options(config), seating_.own, seating_.others),
      update_(update_options(config), *state_.policy, config.training.kl_beta > 0 ? state_.reference.get() : nullptr, *state_.optimizer) {
  state_.games_begun = env_.games_begun().clone();
  if (config.evaluation.every > 0) evaluation_ = std::make_unique<Evaluation>(config);
}

bool Trainer::iterate(RunReport& report) {
  const auto start = Clock::now();
  IterationReport row;
  row.iteration = state_.iteration;
  row.stage = opponent_of(config_, state_.iteration);
  if (!state_.updates && !collect()) return false;
  const Advantages advantages = compute_gae(batch_, config_.training.gamma, config_.training.gae_lambda);
  const bool normalise = config_.training.advantage_norm == "rollout";
  const at::Tensor advantage = normalise ? normalise_advantages(advantages.advantage, batch_.active) : advantages.advantage;

  const auto update_start = Clock::now();
  if (!state_.updates) state_.updates = begin_updates(batch_.reward.device());
  state_.policy->train(true);
  if (!update_.run(batch_, advantage, advantages.ret, state_.iteration, stop_requested, *state_.updates)) return false;

  row.rollout = summarize(batch_, advantages);
  row.update = summarize(*state_.updates);
  row.learning_rate = state_.optimizer->learning_rate().item<double>();
  row.refused_launches = state_.refused_launches;
  row.seconds = {rollout_.times().environment, rollout_.times().inference, seconds_since(update_start), seconds_since(start)};
  if (!evaluate(row)) return false;
  keep_best(row, report);
  state_.updates.reset();
  state_.samples += row.rollout.samples;
  row.samples = state_.samples;
  state_.iteration += 1;
  report.add(row);
  return true;
}

bool Trainer::collect() {
  state_.policy->train(false);
  env_.restore(state_.turn, state_.games_begun);
  env_.draw_from(boards_.rows_for(state_.iteration));
  const auto opponent = make_opponent(opponent_of(config_, state_.iteration), config_, state_.reference);
  if (!rollout_.collect(*state_.policy, env_, opponent.get(), stop_requested, batch_)) return false;
  state_.turn = env_.turn().item<int64_t>();
  state_.games_begun.copy_(env_.games_begun());
  state_.refused_launches = env_.refused_launches();
  return true;
}

// Returns false if a signal ended it early; it is then played anew when the run goes on.
bool Trainer::evaluate(IterationReport& row) {
  if (!evaluation_ || (state_.iteration + 1) % config_.evaluation.every != 0) return true;
  const auto start = Clock::now();
  state_.policy->train(false);
  row.evaluation = evaluation_->play(state_.policy, stop_requested);
  row.seconds.evaluation = seconds_since(start);
  return !row.evaluation.empty();
}

// The best weights by evaluation where there is one, else by the mean return of the iteration against the same opponent.
void Trainer::keep_best(const IterationReport& row, const RunReport& report) {
  if (evaluation_ && row.evaluation.empty()) return;
  const double score = evaluation_ ? mean_win_rate(row.evaluation) : row.rollout.episode_return;
  const std::string stage = evaluation_ ? "evaluation" : row.stage;
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
  std::printf("environments      %10.2f MiB  (%lld games)\n", mib(env_.bytes()), static_cast<long long>(env_.count()));
  int64_t bank = 0;
  for (const at::Tensor& t : boards_.bank()) bank += int64_t(t.nbytes());
  std::printf("board bank        %10.2f MiB  (%lld boards)\n", mib(bank), static_cast<long long>(config_.environment.board_bank_size));
  std::printf("rollout           %10.2f MiB  (%lld steps x %lld seats)\n", mib(bytes_of(batch_)), static_cast<long long>(batch_.steps()),
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

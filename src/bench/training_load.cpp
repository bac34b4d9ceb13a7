#include "src/bench/training_load.h"
#include <chrono>
#include "src/ppo/advantage.h"
#include "src/setup.h"

namespace orbit {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

Seating seating_of(const Config& config) {
  const int64_t n = config.training.episodes_per_iter, players = config.environment.players;
  if (config.training.opponent == "self") return {all_seats(n, players, device_of(config)), {}};
  return alternate_seats(n, players, device_of(config));
}

std::shared_ptr<Policy> reference_of(const Policy& policy, const Config& config) {
  if (!needs_reference(config)) return nullptr;
  std::shared_ptr<Policy> reference = policy.clone();
  reference->train(false);
  reference->set_requires_grad(false);
  return reference;
}

}  // namespace

TrainingLoad::TrainingLoad(const Config& config)
    : config_(config),
      seating_(seating_of(config)),
      env_(environment_options(config, config.training.episodes_per_iter),
           make_bank(config, config.environment.board_seed_start, config.environment.board_bank_size)),
      policy_(make_policy(config)),
      reference_(reference_of(*policy_, config)),
      optimizer_(policy_->named_parameters(), optimizer_options(config)),
      batch_(make_rollout_batch(config.training.horizon, env_.count(), seating_.own.size(1), device_of(config))),
      rollout_(rollout_options(config), seating_.own, seating_.others),
      update_(update_options(config), *policy_, config.training.kl_beta > 0 ? reference_.get() : nullptr, optimizer_),
      opponent_(make_opponent(opponent_of(config, 0), config, reference_)) {
  load_start_weights(*policy_, config);
}

int64_t TrainingLoad::steps() const { return config_.training.horizon * env_.count(); }
int64_t TrainingLoad::samples() const { return batch_.reward.numel(); }
int64_t TrainingLoad::minibatches() const {
  const int64_t size = config_.training.minibatch_size;
  return (samples() + size - 1) / size * config_.training.ppo_epochs;
}

void TrainingLoad::play() {
  policy_->train(false);
  double fleets = 0;
  rollout_.collect(*policy_, env_, opponent_.get(), [&] { fleets += env_.mean_fleets(); return false; }, batch_);
  mean_fleets_ = fleets / double(config_.training.horizon);
  seconds_ = {rollout_.times().environment, rollout_.times().inference, 0};
}

void TrainingLoad::learn(int64_t minibatches) {
  const auto start = Clock::now();
  const Advantages advantages = compute_gae(batch_, config_.training.gamma, config_.training.gae_lambda);
  const at::Tensor advantage = normalise_advantages(advantages.advantage, batch_.active);
  const double before = seconds_since(start);
  policy_->train(true);
  UpdateProgress progress = begin_updates(batch_.reward.device());
  int64_t begun = 0;
  const auto updates = Clock::now();
  update_.run(batch_, advantage, advantages.ret, iteration_++, [&] { return begun++ == minibatches; }, progress);
  const int64_t done = std::min(begun, minibatches);
  seconds_.update = before + seconds_since(updates) * double(this->minibatches()) / double(done);
}

}  // namespace orbit

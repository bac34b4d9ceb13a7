#include "src/bench/training_load.h"
#include <chrono>
#include "src/ppo/advantage.h"
#include "src/setup.h"

namespace orbit {
namespace {

using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Boards that are still being made would be a load of their own.
Config with_all_boards(Config config) {
  config.environment.board_bank_start = config.environment.board_bank_size;
  return config;
}

}  // namespace

TrainingLoad::TrainingLoad(const Config& config, const RecordedPlay* recorded)
    : config_(with_all_boards(config)),
      training_task_(recorded ? nullptr : make_training_task(config_)),
      recorded_(recorded ? std::make_unique<RecordedTask>(config_, *recorded) : nullptr),
      orbit_(dynamic_cast<const OrbitTraining*>(training_task_.get())),
      state_(make_train_state(config, task().rows(), layout_of(config))),
      batch_(make_rollout_batch(config.training.horizon, task())),
      rollout_(rollout_options(config), task(), *state_.policy, batch_, capture_backend(config)),
      update_(update_options(config), *state_.policy, has_kl_term(config) ? state_.reference.get() : nullptr, *state_.optimizer, batch_,
              state_.updates, capture_backend(config)) {}

int64_t TrainingLoad::steps() const { return config_.training.horizon * config_.training.episodes_per_iter; }
int64_t TrainingLoad::samples() const { return batch_.reward.numel(); }
int64_t TrainingLoad::minibatches() const {
  const int64_t size = config_.training.minibatch_size;
  return (samples() + size - 1) / size * config_.training.ppo_epochs;
}

void TrainingLoad::play() {
  state_.policy->train(false);
  if (training_task_ && training_task_->begin_rollout(state_)) rollout_.recapture();
  double fleets = 0;
  rollout_.collect([&] {
    fleets += orbit_ ? orbit_->mean_fleets() : recorded_ ? recorded_->mean_fleets() : 0;
    return false;
  });
  mean_fleets_ = fleets / double(config_.training.horizon);
  seconds_ = {rollout_.times().environment, rollout_.times().inference, 0};
}

void TrainingLoad::learn(int64_t minibatches) {
  const auto start = Clock::now();
  const Advantages advantages = compute_gae(batch_, config_.training.gamma, config_.training.gae_lambda);
  const at::Tensor advantage = normalise_advantages(advantages.advantage, batch_.active);
  const double before = seconds_since(start);
  state_.policy->train(true);
  state_.updates.begin();
  int64_t begun = 0;
  const auto updates = Clock::now();
  update_.run(advantage, advantages.ret, state_.iteration++, [&] { return begun++ == minibatches; });
  const int64_t done = std::min(begun, minibatches);
  seconds_.update = before + seconds_since(updates) * double(this->minibatches()) / double(done);
}

}  // namespace orbit

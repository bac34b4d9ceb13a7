#include "src/ppo/rollout.h"
#include <ATen/ops/arange.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <chrono>

namespace orbit {
namespace {
using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// Row t of the batch in the shape (N, R, ...) that the environments write.
ObservationTensors observation_at(const RolloutBatch& b, int64_t t, int64_t environments) {
  const auto slice = [&](const at::Tensor& x) { return x.select(0, t).unflatten(0, {environments, -1}); };
  return {slice(b.planets), slice(b.globals), slice(b.valid), slice(b.mine)};
}
}  // namespace

RolloutBatch make_rollout_batch(int64_t t, int64_t environments, int64_t seats, at::Device device) {
  const int64_t r = environments * seats, p = kFeatureSlots;
  const auto zeros = [&](std::vector<int64_t> shape, at::ScalarType dtype) {
    return at::zeros(shape, at::TensorOptions().dtype(dtype).device(device));
  };
  RolloutBatch b;
  b.planets = zeros({t, r, p, kPlanetFeatures}, at::kFloat);
  b.globals = zeros({t, r, kGlobalFeatures}, at::kFloat);
  b.valid = zeros({t, r, p}, at::kBool);
  b.mine = zeros({t, r, p}, at::kBool);
  b.target = zeros({t, r, p}, at::kInt);
  b.x = zeros({t, r, p}, at::kFloat);
  for (at::Tensor* x : {&b.log_prob, &b.value, &b.reward, &b.final_value}) *x = zeros({t, r}, at::kFloat);
  for (at::Tensor* x : {&b.terminated, &b.truncated, &b.active}) *x = zeros({t, r}, at::kBool);
  b.outcome = zeros({t, r}, at::kInt);
  return b;
}

int64_t bytes_of(const RolloutBatch& b) {
  int64_t total = 0;
  b.for_each([&](const char*, const at::Tensor& x) { total += int64_t(x.nbytes()); });
  return total;
}

Rollout::Rollout(RolloutOptions options, at::Tensor learning_seats, at::Tensor other_seats)
    : options_(options),
      learning_seats_(std::move(learning_seats)),
      other_seats_(std::move(other_seats)),
      agents_(at::arange(learning_seats_.numel(), learning_seats_.options().dtype(at::kLong))) {}

bool Rollout::collect(const Policy& policy, VecEnv& env, Player* opponent, const std::function<bool()>& stop, RolloutBatch& batch) {
  c10::InferenceMode no_gradients;
  times_ = {};
  env.start_games();
  for (int64_t t = 0; t < options_.horizon; ++t) {
    if (stop()) return false;
    play_step(t, policy, env, opponent, batch);
  }
  cut_at_horizon(policy, env, batch);
  return true;
}

void Rollout::play_step(int64_t t, const Policy& policy, VecEnv& env, Player* opponent, RolloutBatch& batch) {
  const int64_t n = env.count();
  const auto row = [&](const at::Tensor& x) { return x.select(0, t).unflatten(0, {n, -1}); };
  auto start = Clock::now();
  const ObservationTensors seen = observation_at(batch, t, n);
  env.observe(learning_seats_, seen);
  row(batch.active).copy_(env.running().unsqueeze(1));
  times_.environment += seconds_since(start);

  start = Clock::now();
  const PolicyOutput output = policy.forward(policy_input(seen));
  const ActionSample action = sample_actions(output, SampleKey{options_.seed, agents_, env.turn()});
  batch.target.select(0, t).copy_(action.target);
  batch.x.select(0, t).copy_(action.x);
  batch.log_prob.select(0, t).copy_(action.log_prob);
  batch.value.select(0, t).copy_(output.value);
  times_.inference += seconds_since(start);

  start = Clock::now();
  env.order(learning_seats_, row(batch.target), row(batch.x));
  if (opponent) opponent->act(env, other_seats_);
  env.step(learning_seats_, {row(batch.reward), row(batch.terminated), row(batch.outcome)});
  if (options_.auto_reset) env.restart_finished();
  times_.environment += seconds_since(start);
}

// Games still on are truncated after the last step. The state is the true last one: only games that ended were reset.
void Rollout::cut_at_horizon(const Policy& policy, VecEnv& env, RolloutBatch& batch) {
  batch.truncated.zero_();
  batch.final_value.zero_();
  const at::Tensor last = batch.truncated.select(0, options_.horizon - 1);
  last.copy_(batch.active.select(0, options_.horizon - 1)
                 .logical_and(batch.terminated.select(0, options_.horizon - 1).logical_not()));
  if (!options_.bootstrap_truncated) return;
  auto start = Clock::now();
  const ObservationTensors seen = make_observation(env.count(), learning_seats_.size(1), learning_seats_.device());
  env.observe(learning_seats_, seen);
  times_.environment += seconds_since(start);
  start = Clock::now();
  batch.final_value.select(0, options_.horizon - 1).copy_(policy.forward(policy_input(seen)).value);
  times_.inference += seconds_since(start);
}

}  // namespace orbit

#include "src/small_env_task.h"
#include <ATen/ops/zeros.h>
#include "extensions/env_registry.h"
#include "extensions/ops.h"
#include "extensions/policy_ops.h"
#include "src/rollout_batch.h"

namespace orbit {

SmallEnvTask::SmallEnvTask(SmallEnvOptions options)
    : options_(std::move(options)),
      env_(find_env(options_.name)),
      batch_(make_env_batch(env_, options_.environments, options_.in_double, options_.device)),
      turn_(at::zeros({}, at::TensorOptions().dtype(at::kLong).device(options_.device))) {
  restart();
}

void SmallEnvTask::restart() {
  for (const at::Tensor& t : batch_) t.zero_();
  turn_.zero_();
  ops::env_reset_(options_.name, batch_, options_.seed, options_.first);
}

std::vector<TensorSpec> SmallEnvTask::seen(const EnvTable& env) { return {{"observation", {env.observation_size}, at::kFloat, ""}}; }

std::vector<TensorSpec> SmallEnvTask::action() const {
  return {{"action", {env_.action_size}, env_.action_kind == ActionKind::kContinuous ? at::kFloat : at::kLong, ""}};
}

// The first may come at once, since episodes go on from the rollout before.
int64_t SmallEnvTask::truncations_within(int64_t steps) const {
  const int64_t limit = options_.time_limit < 0 ? env_.time_limit : options_.time_limit;
  if (env_.truncates_itself) return steps;
  return limit > 0 ? (steps + limit - 1) / limit : 0;
}

void SmallEnvTask::step(at::TensorList action, const StepOutcome& out, at::TensorList final_observation) {
  ops::env_step_(options_.name, batch_, action[0], options_.seed, options_.first, options_.time_limit);
  out.reward.copy_(batch_[kEnvReward]);
  out.terminated.copy_(batch_[kEnvTerminated]);
  out.truncated.copy_(batch_[kEnvTruncated]);
  out.outcome.zero_();
  if (!final_observation.empty()) final_observation[0].copy_(batch_[kEnvFinalObservation]);
  turn_.add_(1);
}

bool SmallEnvTask::play(const MlpTensors& policy, uint64_t seed, bool bootstrap_truncated, const RolloutBatch& out, const at::Tensor& goes_on) {
  if (!options_.device.is_cpu()) return false;
  ops::env_rollout_(options_.name, batch_, options_.seed, options_.first, options_.time_limit, policy, seed, turn_, bootstrap_truncated,
                    {out.observation[0].second, out.action[0].second, out.log_prob, out.value, out.reward, out.terminated, out.truncated,
                     out.final_value, goes_on});
  out.active.fill_(true);
  out.outcome.zero_();
  turn_.add_(out.steps());
  return true;
}

}  // namespace orbit

#include "extensions/policy_ops.h"
#include "extensions/operator_handle.h"

namespace orbit::ops {
namespace {
using Maybe = const std::optional<at::Tensor>&;
using Numbers = at::ArrayRef<double>;
}  // namespace

void ppo_gradient_(const MlpTensors& policy, const PpoRows& rows, const PpoChoice& choice, const PpoObjective& o, List gradients, T terms) {
  static const auto op = find<void(List, bool, bool, at::IntArrayRef, Maybe, Numbers, Numbers, Maybe, Maybe, T, T, T, T, T, T, T, T, T, int64_t,
                                   bool, T, T, double, std::optional<double>, List, Out)>("orbit::ppo_gradient_");
  op.call(policy.weights, policy.shared, policy.relu, policy.choices, policy.log_std, policy.low, policy.high, policy.mean, policy.variance,
          rows.observation, rows.action, rows.log_prob, rows.value, rows.advantage, rows.ret, choice.order, choice.position, choice.count,
          choice.minibatch_size, choice.normalise_advantage, o.clip_eps, o.entropy_coef, o.value_coef, o.value_clip_eps, gradients, terms);
}

void schedule_(const Schedule& s, T steps_done, T scale, T value) {
  static const auto op = find<void(T, double, double, int64_t, bool, Maybe, Out)>("orbit::schedule_");
  op.call(steps_done, s.start, s.end, s.steps, s.cosine, scale.defined() ? std::optional<at::Tensor>(scale) : std::nullopt, value);
}
void clip_gradients_(List gradients, double max_norm, T norm) {
  static const auto op = find<void(List, double, Out)>("orbit::clip_gradients_");
  op.call(gradients, max_norm, norm);
}
void adamw_(List parameters, List gradients, List exp_avg, List exp_avg_sq, List steps, T lr, T skip, const AdamWStep& s) {
  static const auto op = find<void(List, List, List, List, List, T, T, double, double, double, double)>("orbit::adamw_");
  op.call(parameters, gradients, exp_avg, exp_avg_sq, steps, lr, skip, s.beta1, s.beta2, s.weight_decay, s.eps);
}
void judge_minibatch_(T terms, T norm, T stopped, double loss_limit, T skip) {
  static const auto op = find<void(T, T, T, double, Out)>("orbit::judge_minibatch_");
  op.call(terms, norm, stopped, loss_limit, skip);
}
void record_minibatch_(T terms, T norm, T skip, double target_kl, T sums, T stopped, T diverged, T position) {
  static const auto op = find<void(T, T, T, double, Out, Out, Out, Out)>("orbit::record_minibatch_");
  op.call(terms, norm, skip, target_kl, sums, stopped, diverged, position);
}

void env_rollout_(const std::string& env, List batch, uint64_t env_seed, int64_t first, int64_t time_limit, const MlpTensors& policy,
                  uint64_t seed, T turn, bool bootstrap, const RolloutTensors& out) {
  static const auto op = find<void(c10::string_view, List, int64_t, int64_t, int64_t, List, bool, bool, at::IntArrayRef, Maybe, Numbers,
                                   Numbers, Maybe, Maybe, int64_t, T, bool, Out, Out, Out, Out, Out, Out, Out, Out, Out)>("orbit::env_rollout_");
  op.call(env, batch, int64_t(env_seed), first, time_limit, policy.weights, policy.shared, policy.relu, policy.choices, policy.log_std,
          policy.low, policy.high, policy.mean, policy.variance, int64_t(seed), turn, bootstrap, out.observation, out.action, out.log_prob,
          out.value, out.reward, out.terminated, out.truncated, out.final_value, out.goes_on);
}

}  // namespace orbit::ops

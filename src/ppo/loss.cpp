#include "src/ppo/loss.h"
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/zeros.h>
#include "extensions/policy_ops.h"

namespace orbit {

LossCoefficients coefficients_at(const LossOptions& o, const at::Tensor& steps_done) {
  const auto value = [&](const Schedule& s) {
    at::Tensor v = at::empty_like(steps_done);
    ops::schedule_(s, steps_done, {}, v);
    return v;
  };
  return {value(o.clip_eps), value(o.entropy_coef), value(o.kl_beta)};
}

void update_coefficients(const LossCoefficients& c, const LossOptions& o, const at::Tensor& steps_done) {
  const std::pair<const Schedule&, const at::Tensor&> all[] = {
      {o.clip_eps, c.clip_eps}, {o.entropy_coef, c.entropy_coef}, {o.kl_beta, c.kl_beta}};
  for (const auto& [schedule, value] : all)
    if (schedule.steps > 0) ops::schedule_(schedule, steps_done, {}, value);
}

LossTerms ppo_loss(const Policy& policy, const Policy* reference, const Minibatch& b, const LossOptions& options,
                   const LossCoefficients& c) {
  const auto mean = [&](const at::Tensor& term) { return (term * b.weight).sum(); };
  const Prediction now = policy.predict_sequences(b.observation, b.sequence_length);
  const ActionScore score = now.actions->score(b.action);

  const at::Tensor ratio = (score.log_prob - b.old_log_prob).exp();
  const at::Tensor clipped = at::clamp(ratio, at::Tensor(1.0 - c.clip_eps), at::Tensor(1.0 + c.clip_eps));
  LossTerms t;
  t.policy_loss = -mean(at::minimum(ratio * b.advantage, clipped * b.advantage));
  at::Tensor value_error = (now.value - b.ret).square();
  if (options.value_clip_eps) {
    const at::Tensor near = b.old_value + (now.value - b.old_value).clamp(-*options.value_clip_eps, *options.value_clip_eps);
    value_error = at::maximum(value_error, (near - b.ret).square());
  }
  t.value_loss = mean(value_error);
  t.entropy = mean(score.entropy);
  t.total = t.policy_loss + options.value_coef * t.value_loss - c.entropy_coef * t.entropy;
  if (reference) {
    at::Tensor divergence;
    {
      at::NoGradGuard no_gradients;
      Prediction anchor = reference->predict_sequences(b.observation, b.sequence_length);
      at::AutoGradMode gradients(true);
      divergence = now.actions->divergence(*anchor.actions);
    }
    t.kl = mean(divergence);
    t.total = t.total + c.kl_beta * t.kl;
  } else {
    t.kl = at::zeros({}, b.weight.options());
  }
  at::NoGradGuard no_gradients;
  t.approx_kl = mean(b.old_log_prob - score.log_prob);
  t.clip_fraction = mean((ratio - 1.0).abs().gt(c.clip_eps).to(at::kFloat));
  return t;
}

}  // namespace orbit

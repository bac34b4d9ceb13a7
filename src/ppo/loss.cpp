#include "src/ppo/loss.h"
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/clamp.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/zeros.h>

namespace orbit {

LossCoefficients coefficients_at(const LossOptions& o, const at::Tensor& steps_done) {
  return {scheduled(o.clip_eps, steps_done), scheduled(o.entropy_coef, steps_done), scheduled(o.kl_beta, steps_done)};
}

void write_coefficients(const LossCoefficients& to, const LossOptions& o, const at::Tensor& steps_done) {
  write_scheduled(to.clip_eps, o.clip_eps, steps_done);
  write_scheduled(to.entropy_coef, o.entropy_coef, steps_done);
  write_scheduled(to.kl_beta, o.kl_beta, steps_done);
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

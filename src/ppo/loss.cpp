#include "src/ppo/loss.h"
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/zeros.h>

namespace orbit {

LossTerms ppo_loss(const Policy& policy, const Policy* reference, const Minibatch& b, const LossCoefficients& c) {
  const auto mean = [&](const at::Tensor& term) { return (term * b.weight).sum(); };
  const PolicyOutput output = policy.forward(b.input);
  const ActionScore score = evaluate_actions(output, b.target, b.x);

  const at::Tensor ratio = (score.log_prob - b.old_log_prob).exp();
  const at::Tensor clipped = ratio.clamp(1.0 - c.clip_eps, 1.0 + c.clip_eps);
  LossTerms t;
  t.policy_loss = -mean(at::minimum(ratio * b.advantage, clipped * b.advantage));
  t.value_loss = mean((output.value - b.ret).square());
  t.entropy = mean(score.entropy);
  t.total = t.policy_loss + c.value_coef * t.value_loss - c.entropy_coef * t.entropy;
  if (reference) {
    PolicyOutput anchor;
    {
      at::NoGradGuard no_gradients;
      anchor = reference->forward(b.input);
    }
    t.kl = mean(kl_divergence(output, anchor));
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

#include "src/ppo/advantage.h"
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty_like.h>
#include "extensions/ops.h"

namespace orbit {

Advantages compute_gae(const RolloutBatch& b, double gamma, double gae_lambda) {
  Advantages a{at::empty_like(b.reward), at::empty_like(b.reward)};
  ops::gae_(b.reward, b.value, b.final_value, b.terminated, b.truncated, gamma, gae_lambda, a.advantage, a.ret);
  return a;
}

at::Tensor normalise_advantages(const at::Tensor& advantage, const at::Tensor& active) {
  const at::Tensor weight = active.to(at::kDouble), a = advantage.to(at::kDouble);
  const at::Tensor n = weight.sum();
  const at::Tensor mean = (a * weight).sum() / n.clamp_min(1);
  const at::Tensor centred = (a - mean) * weight;
  const at::Tensor std = (centred.square().sum() / (n - 1).clamp_min(1)).sqrt();
  return (centred / (std + 1e-8)).to(at::kFloat);
}

}  // namespace orbit

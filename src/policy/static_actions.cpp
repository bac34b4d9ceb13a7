#include "src/policy/static_actions.h"
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <cmath>
#include "envs/common/rng.h"
#include "extensions/ops.h"

namespace orbit {
namespace {

using at::Tensor;

// target (B * P) int64, z (B * P) float64: what rows chose, and how many deviations their ships lie from the mean.
ActionSample gather(const PolicyOutput& o, const Tensor& log_p, const Tensor& target, const Tensor& z) {
  const int64_t states = o.value.size(0), slots = o.logits.size(1) - 1;
  const Tensor sigma = o.log_std.to(at::kDouble).exp().clamp_min(kMinSigma), mean = o.ship_mean.to(at::kDouble);
  const Tensor x = (mean + sigma * z).to(at::kFloat), off = (x.to(at::kDouble) - mean) / sigma;
  const Tensor chosen = log_p.gather(-1, target.unsqueeze(-1)).squeeze(-1);
  const Tensor log_prob = chosen - 0.5 * off.square() - sigma.log() - 0.5 * std::log(2.0 * M_PI);
  const auto by_state = [&](const Tensor& rows) { return rows.view({states, slots}); };
  return {by_state(at::where(o.owned, target, slots)).to(at::kInt), by_state(at::where(o.owned, x, 0.0)).to(at::kFloat),
          by_state(at::where(o.owned, log_prob, 0.0)).sum(-1).to(at::kFloat)};
}

}  // namespace

// The first target whose cumulated probability passes u; a masked one has probability 0 exactly and is never the first.
ActionSample sample_static(const PolicyOutput& o, const SampleKey& key) {
  at::NoGradGuard no_gradients;
  const int64_t states = o.value.size(0), slots = o.logits.size(1) - 1;
  const Tensor uniform = at::empty({states, slots}, o.logits.options().dtype(at::kDouble)), normal = at::empty_like(uniform);
  ops::action_draws_(key.seed, int64_t(Stream::kPolicy), key.agent, key.step, uniform, normal);
  const Tensor log_p = o.logits.to(at::kDouble).log_softmax(-1), p = log_p.exp();
  const Tensor passed = p.cumsum(-1).le(uniform.view({-1, 1})).sum(-1);
  const Tensor possible = at::where(p.gt(0), at::arange(slots + 1, passed.options()), 0).amax(-1);  // should rounding leave the sum below u
  return gather(o, log_p, passed.minimum(possible), normal.flatten());
}

ActionSample greedy_static(const PolicyOutput& o, Greedy mode) {
  at::NoGradGuard no_gradients;
  const int64_t slots = o.logits.size(1) - 1;
  Tensor target = o.logits.narrow(-1, 0, mode == Greedy::kFire ? slots : slots + 1).argmax(-1);
  if (mode == Greedy::kFire) {
    const Tensor best = o.logits.gather(-1, target.unsqueeze(-1)).squeeze(-1);
    target = at::where((o.logits.select(-1, slots) - best).ge(999.0), slots, target);
  }
  const Tensor log_p = o.logits.to(at::kDouble).log_softmax(-1);
  return gather(o, log_p, target, at::zeros_like(o.ship_mean, at::kDouble));
}

}  // namespace orbit

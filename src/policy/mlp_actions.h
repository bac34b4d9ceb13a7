// Distributions over the actions of an ActionSpace, from the outputs of a network. Written in operators alone: any device, static
// shapes, nothing read back, differentiable.
//
// - Choices: independent categorical distributions, sampled by inverse CDF.
// - Continuous: independent Gaussians. Their draws may lie outside of the bounds; the environment clips them.
// - Squashed: a = low + (high - low) (tanh(u) + 1) / 2 with Gaussian u; log p(a) = log N(u) - sum log |da/du|. u is recovered from
//   the action as it was stored, in float64, and at most kSquashLimit of the range away from its middle, where a float32 can
//   tell it. The entropy has no closed form: it is estimated as the Gaussian's, exact, plus log |da/du| at the action that was
//   drawn, as a function of mean and deviation with the noise held fixed (the pathwise gradient, which is unbiased; the gradient
//   of -log p(a) at a fixed action would be 0 in the mean). Divergences are those of the Gaussians, exact, since the map is the same.
#pragma once
#include "src/policy/action_space.h"
#include "src/policy/actor_critic.h"

namespace orbit {

constexpr double kSquashLimit = 1.0 - 1e-6;

// outputs (B, space.outputs()); logits of the choices one after the other.
std::unique_ptr<ActionDistribution> make_choices(at::Tensor outputs, const ActionSpace& space);
// mean (B, A), log_std (A).
std::unique_ptr<ActionDistribution> make_gaussian(at::Tensor mean, at::Tensor log_std);
// low, range = high - low: (A) float64, finite.
std::unique_ptr<ActionDistribution> make_squashed_gaussian(at::Tensor mean, at::Tensor log_std, at::Tensor low, at::Tensor range);

}  // namespace orbit

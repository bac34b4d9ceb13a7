// The distribution over actions that a PolicyOutput describes. Each owned row draws a target (categorical over P planets and
// no-op) and x = log1p(ships) (Gaussian, sigma = max(1e-3, exp(log_std))); rows are independent, so log-probability, entropy
// and divergence of a state are sums over its owned rows, and 0 where nothing is owned. No-op rows count with both terms.
#pragma once
#include "src/policy/orbit_policy.h"

namespace orbit {

constexpr double kMinSigma = 1e-3;

struct ActionSample {
  at::Tensor target;    // (B, P) int32: slot of the target, P = no-op (also on rows that are not owned)
  at::Tensor x;         // (B, P) float32: log1p(ships) as drawn, not clamped; 0 on rows that are not owned
  at::Tensor log_prob;  // (B) float32
};

// Both without gradient; log_prob of a greedy action is that of the distribution it was taken from.
ActionSample sample_actions(const PolicyOutput& output, const SampleKey& key);
ActionSample greedy_actions(const PolicyOutput& output, Greedy mode);

// Differentiable in the output. target and x as in ActionSample.
ActionScore evaluate_actions(const PolicyOutput& output, const at::Tensor& target, const at::Tensor& x);

// KL(output || reference) per state (B), exact; differentiable in the output. Both outputs must hold the same rows.
at::Tensor kl_divergence(const PolicyOutput& output, const PolicyOutput& reference);

}  // namespace orbit

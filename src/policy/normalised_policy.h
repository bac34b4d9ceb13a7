// Observation normalisation around any policy: (x - mean) / std of what was observed so far, clamped. The statistics are buffers
// of the policy: they travel with its weights, and change between iterations alone.
#pragma once
#include "src/policy/actor_critic.h"
#include "src/task.h"

namespace orbit {

constexpr double kSmallestVariance = 1e-8;  // is added to each
// Is this tensor of an observation normalised?
inline bool is_normalised(const TensorSpec& seen) { return seen.dtype == at::kFloat && !seen.as_it_is; }

// Tensors of float32 are normalised, feature by feature over their last dimension; buffers are named
// observation_norm.NAME.mean, .variance (D) and .count (), float64.
std::unique_ptr<Policy> normalise_observations(std::unique_ptr<Policy> policy, std::vector<TensorSpec> observation, at::Device device);

}  // namespace orbit

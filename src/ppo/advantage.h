// Advantages of a rollout, and their normalisation.
#pragma once
#include "src/rollout_batch.h"

namespace orbit {

// Generalised advantage estimation; the value of the true last observation stands for the future of truncated games.
Advantages compute_gae(const RolloutBatch& batch, double gamma, double gae_lambda);

// (A - mean) / (std + 1e-8) over the active entries, std with n - 1, as the original does over a whole rollout. 0 elsewhere.
at::Tensor normalise_advantages(const at::Tensor& advantage, const at::Tensor& active);

}  // namespace orbit

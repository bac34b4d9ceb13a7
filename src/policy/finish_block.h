// An attention block behind its attention, as one differentiable operator (CPU float32): u = LN1(x + out_proj(a)),
// LN2(u + ff2(relu(ff0(u)))). Biases, residuals, norms and activations are done on rows that are still in the cache from the
// matrix product before, which is about half of a small network's time otherwise.
#pragma once
#include "src/policy/orbit_weights.h"

namespace orbit {

// attended (R, H); x (R, H), or (M, H) repeated every M rows. Returns (R, H).
at::Tensor finish_block(const at::Tensor& attended, const at::Tensor& x, const BlockWeights& weights);

}  // namespace orbit

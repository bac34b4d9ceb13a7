// An attention block of the policy as one differentiable operator: projections, attention, output projection, norms and
// feed-forward, chunk by chunk of states, so that what lies between stays in the cache.
#pragma once
#include "src/policy/orbit_weights.h"
#include "src/policy/segments.h"

namespace orbit {

// Queries x (M, H) are the same in every state, keys and values are its planets h (N, H). Returns (B * M, H).
at::Tensor shared_attention_block(const at::Tensor& x, const at::Tensor& h, const Segments& planets, const BlockWeights& w,
                                  int64_t heads);

// Queries are the planets h (N, H) of a state, keys and values its M points (B * M, H). Returns (N, H).
at::Tensor own_attention_block(const at::Tensor& h, const at::Tensor& points, const Segments& planets, const BlockWeights& w,
                               int64_t heads);

}  // namespace orbit

// Fused row operators of the packed forward: each replaces two or three passes over (rows, H) by one. CPU float32,
// differentiable; sums over rows are made in fixed partial sums, so results do not depend on the number of threads.
#pragma once
#include "src/policy/segments.h"

namespace orbit {

// relu(rows + per_state[state of the row]): the context half of a head's first layer, computed once a state.
at::Tensor add_state_relu(const at::Tensor& rows, const at::Tensor& per_state, const Segments& segments);

// logits (R, P + 1) of acting rows over the slots: keys[j] . queries[r] + offset[r] for the planets j of r's state, masked
// (-1e9) for empty slots, noop[r] in the last column. slots (N) int64: flat slot of each planet.
at::Tensor pair_logits(const at::Tensor& queries, const Segments& acting, const at::Tensor& offset, const at::Tensor& keys,
                       const Segments& planets, const at::Tensor& slots, const at::Tensor& noop, int64_t slots_a_state);

}  // namespace orbit

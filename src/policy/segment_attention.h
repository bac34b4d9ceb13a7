// Multi-head attention within each state of packed rows: no padding, no masks, differentiable, CPU float32.
#pragma once
#include "src/policy/segments.h"

namespace orbit {

// q: (rows of q_segments, H), or (M, H) when every state asks the same M queries (shared). kv: (rows of kv_segments, 2H), keys
// in the first H columns. Scale 1/sqrt(H / heads); a state without keys gets 0. Returns (rows, H), shared: (B * M, H).
at::Tensor segment_attention(const at::Tensor& q, const Segments& q_segments, bool shared, const at::Tensor& kv,
                             const Segments& kv_segments, int64_t heads);

}  // namespace orbit

// How the fused operators walk over many rows: in chunks whose intermediate values stay in the second-level cache, chunks in
// groups that run in parallel. Sums over rows (gradients of weights) are made per group and then over groups; groups depend on
// the number of rows alone, so the sums do not depend on the number of threads.
#pragma once
#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>

namespace orbit {

constexpr int64_t kChunkRows = 512;
constexpr int64_t kMaxGroups = 8;

struct RowChunks {
  int64_t rows;

  int64_t chunks() const { return (rows + kChunkRows - 1) / kChunkRows; }
  int64_t groups() const { return std::clamp<int64_t>(chunks(), 1, kMaxGroups); }
  int64_t longest() const { return std::min(rows, kChunkRows); }

  // body(group, first row, rows) for every chunk; chunks of one group run one after another, in order, on one thread.
  // Inside, operators run below autograd: the caller is the differentiable one.
  template <class Body>
  void run(Body body) const {
    const int64_t all = chunks(), each = groups();
    at::parallel_for(0, each, 1, [&](int64_t begin, int64_t end) {
      at::AutoDispatchBelowADInplaceOrView below_autograd;
      for (int64_t g = begin; g < end; ++g) {
        for (int64_t c = g * all / each; c < (g + 1) * all / each; ++c) {
          body(g, c * kChunkRows, std::min(kChunkRows, rows - c * kChunkRows));
        }
      }
    });
  }
};

// One scratch tensor for each group, so that parallel groups do not share it.
inline at::Tensor group_rows(const at::Tensor& scratch, int64_t group, int64_t rows) {
  return scratch.select(0, group).narrow(0, 0, rows);
}

}  // namespace orbit

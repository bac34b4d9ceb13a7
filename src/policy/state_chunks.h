// How the fused operators walk over many states: in chunks whose intermediate values stay in the second-level cache, chunks in
// groups that run in parallel. Sums over rows (gradients of weights) are made per group and then over groups; chunks and groups
// depend on the number of states alone, so the sums do not depend on the number of threads.
#pragma once
#include <algorithm>

#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>

namespace orbit {

constexpr int64_t kChunkFloats = 1 << 17;  // of one (rows, H) tensor: half a MiB
constexpr int64_t kMaxGroups = 8;

struct StateChunks {
  int64_t states, states_each;

  // So many rows of H numbers a state, at most.
  StateChunks(int64_t states, int64_t rows_a_state, int64_t hidden)
      : states(states), states_each(std::max<int64_t>(1, kChunkFloats / (std::max<int64_t>(1, rows_a_state) * hidden))) {}

  int64_t chunks() const { return std::max<int64_t>(1, (states + states_each - 1) / states_each); }
  int64_t groups() const { return std::min(chunks(), kMaxGroups); }
  int64_t longest() const { return std::min(states, states_each); }

  // body(group, first state, states, is it the group's first chunk) for every chunk, also for a single empty one; chunks of one
  // group run one after another, in order, on one thread. Inside, operators run below autograd: the caller is differentiable.
  template <class Body>
  void run(Body body) const {
    const int64_t all = chunks(), each = groups();
    at::parallel_for(0, each, 1, [&](int64_t begin, int64_t end) {
      at::AutoDispatchBelowADInplaceOrView below_autograd;
      for (int64_t g = begin; g < end; ++g) {
        const int64_t first = g * all / each;
        for (int64_t c = first; c < (g + 1) * all / each; ++c)
          body(g, c * states_each, std::min(states_each, states - c * states_each), c == first);
      }
    });
  }
};

// One scratch tensor for each group, so that parallel groups do not share it.
inline at::Tensor group_rows(const at::Tensor& scratch, int64_t group, int64_t rows) {
  return scratch.select(0, group).narrow(0, 0, rows);
}

}  // namespace orbit

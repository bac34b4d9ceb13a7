#include "src/ppo/minibatch_order.h"
#include <ATen/ops/from_blob.h>
#include <numeric>
#include "envs/common/rng.h"

namespace orbit {

std::vector<int64_t> permutation(int64_t n, uint64_t seed, int64_t iteration, int64_t epoch) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = n - 1; i > 0; --i) {  // Fisher and Yates
    const Random4 u = draw4(seed, Stream::kPermutation, uint32_t(iteration), uint32_t(epoch), uint32_t(i));
    std::swap(order[size_t(i)], order[size_t((uint64_t(u.v[0]) * uint64_t(i + 1)) >> 32)]);
  }
  return order;
}

at::Tensor minibatch_order(const at::Tensor& active, int64_t minibatch_size, uint64_t seed, int64_t iteration, int64_t epoch) {
  const int64_t n = active.numel(), whole = (n + minibatch_size - 1) / minibatch_size * minibatch_size;
  std::vector<int64_t> order = permutation(n, seed, iteration, epoch);
  order.resize(size_t(whole), 0);
  return active.index_select(0, at::from_blob(order.data(), {whole}, at::kLong));
}

at::Tensor sequence_order(int64_t steps, int64_t rows, int64_t length, int64_t minibatch_size, uint64_t seed, int64_t iteration, int64_t epoch) {
  const int64_t whole = (steps * rows + minibatch_size - 1) / minibatch_size * minibatch_size;
  std::vector<int64_t> sequences = permutation(steps / length * rows, seed, iteration, epoch), order;
  sequences.resize(size_t(whole / length), 0);
  for (const int64_t s : sequences)
    for (int64_t k = 0; k < length; ++k) order.push_back((s / rows * length + k) * rows + s % rows);
  return at::from_blob(order.data(), {whole}, at::kLong).clone();
}

}  // namespace orbit

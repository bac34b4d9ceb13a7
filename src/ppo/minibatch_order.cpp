#include "src/ppo/minibatch_order.h"
#include <ATen/ops/empty.h>
#include <ATen/ops/from_blob.h>
#include <numeric>
#include "envs/common/rng.h"

namespace orbit {

std::vector<int64_t> permutation(int64_t n, uint64_t seed, int64_t iteration, int64_t epoch) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  Random4 four{};
  for (int64_t i = 0; i < n; ++i) {  // Fisher and Yates, from the front
    if (i % 4 == 0) four = draw4(seed, Stream::kPermutation, uint32_t(iteration), uint32_t(epoch), uint32_t(i / 4));
    std::swap(order[size_t(i)], order[size_t((uint64_t(four.v[i % 4]) * uint64_t(i + 1)) >> 32)]);
  }
  return order;
}

at::Tensor minibatch_order(const at::Tensor& active, int64_t minibatch_size, uint64_t seed, int64_t iteration, int64_t epoch) {
  const int64_t n = active.numel(), whole = (n + minibatch_size - 1) / minibatch_size * minibatch_size;
  const std::vector<int64_t> order = permutation(n, seed, iteration, epoch);
  at::Tensor rows = at::empty({whole}, at::kLong);
  const int64_t* from = active.const_data_ptr<int64_t>();
  int64_t* to = rows.mutable_data_ptr<int64_t>();
  for (int64_t i = 0; i < whole; ++i) to[i] = from[i < n ? order[size_t(i)] : 0];
  return rows;
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

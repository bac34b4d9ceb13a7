// In which order an epoch goes through a rollout. Made on the host, once an epoch, outside of what is captured.
#pragma once
#include <ATen/core/Tensor.h>
#include <cstdint>
#include <vector>

namespace orbit {

// The numbers 0 to n - 1 in an order drawn for (seed, iteration, epoch), int64.
std::vector<int64_t> permutation(int64_t n, uint64_t seed, int64_t iteration, int64_t epoch);

// active (n) int64, on the CPU and contiguous: the rows that count. They come back in the order of the epoch, padded with the first of
// them to a whole number of minibatches.
at::Tensor minibatch_order(const at::Tensor& active, int64_t minibatch_size, uint64_t seed, int64_t iteration, int64_t epoch);

// The same for sequences of `length` steps: rows t R + r of a rollout of T steps, each sequence in order; padded with the first one.
at::Tensor sequence_order(int64_t steps, int64_t rows, int64_t length, int64_t minibatch_size, uint64_t seed, int64_t iteration, int64_t epoch);

}  // namespace orbit

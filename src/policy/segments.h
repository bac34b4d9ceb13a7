// Rows of several states stored one behind the other: where each state's rows start.
#pragma once
#include <ATen/core/Tensor.h>

namespace orbit {

struct Segments {
  at::Tensor offsets;   // (B + 1) int64 on the CPU: state b has rows offsets[b] to offsets[b + 1] - 1
  int64_t longest = 0;  // rows of the largest state

  int64_t states() const { return offsets.size(0) - 1; }
  int64_t rows() const { return offsets.const_data_ptr<int64_t>()[states()]; }
};

}  // namespace orbit

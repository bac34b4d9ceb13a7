// Rows of several states stored one behind the other: where each state's rows start.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/ops/empty.h>

namespace orbit {

struct Segments {
  at::Tensor offsets;   // (B + 1) int64 on the CPU: state b has rows offsets[b] to offsets[b + 1] - 1
  int64_t longest = 0;  // rows of the largest state

  int64_t states() const { return offsets.size(0) - 1; }
  int64_t rows() const { return offsets.const_data_ptr<int64_t>()[states()]; }
};

// Every state has the same number of rows.
inline Segments equal_segments(int64_t states, int64_t rows_each) {
  Segments s{at::empty({states + 1}, at::kLong), rows_each};
  int64_t* at = s.offsets.mutable_data_ptr<int64_t>();
  for (int64_t b = 0; b <= states; ++b) at[b] = b * rows_each;
  return s;
}

}  // namespace orbit

// Time and arithmetic of the matrix products that Torch's library computes, seen by watching its operators.
#pragma once
#include <ATen/record_function.h>

namespace orbit {

// Counts while it lives, on all threads. Products of the fused loops (attention within a state) are not the library's and not
// counted.
class MatrixProducts {
 public:
  MatrixProducts();
  ~MatrixProducts();
  MatrixProducts(const MatrixProducts&) = delete;
  MatrixProducts& operator=(const MatrixProducts&) = delete;

  double seconds() const;  // of all threads, over their number
  double flop() const;     // a multiplication and an addition are two
  void reset();

 private:
  at::CallbackHandle handle_;
};

// Floating-point operations a second of square single-precision products (2048) with the present number of threads, the best of
// several: what the machine can do at most.
double peak_flop_per_second();

}  // namespace orbit

// How new weights are drawn: PyTorch's defaults, number by number, and what PPO usually begins with. On the CPU.
#pragma once
#include <ATen/core/Generator.h>
#include <ATen/core/Tensor.h>

namespace orbit {

struct LinearWeights {
  at::Tensor weight, bias;  // (out, in), (out); bias may be undefined
};

// Every call draws from one generator, so that the same calls after the same seed give PyTorch's numbers. Under no_grad.
class Initialiser {
 public:
  explicit Initialiser(uint64_t seed);

  // nn.Linear: both uniform within 1 / sqrt(in).
  void linear(const LinearWeights& w);
  // nn.init.xavier_uniform_
  void xavier(const at::Tensor& t);
  // A random matrix with orthonormal rows or columns, whichever are fewer, times the gain (Saxe et al. 2014); biases 0.
  void orthogonal(const LinearWeights& w, double gain);

 private:
  void uniform(const at::Tensor& t, double bound);
  at::Generator generator_;
};

}  // namespace orbit

#include "src/policy/initialiser.h"
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linalg_qr.h>
#include <algorithm>
#include <cmath>
#include "src/common/threads_in_scope.h"

namespace orbit {

Initialiser::Initialiser(uint64_t seed) : generator_(at::detail::createCPUGenerator(seed)) {}

// The weight's bound is written as kaiming_uniform_(a = sqrt(5)) computes it.
void Initialiser::linear(const LinearWeights& w) {
  const double in = double(w.weight.size(1)), gain = std::sqrt(2.0 / (1.0 + std::pow(std::sqrt(5.0), 2)));
  uniform(w.weight, std::sqrt(3.0) * (gain / std::sqrt(in)));
  if (w.bias.defined()) uniform(w.bias, 1.0 / std::sqrt(in));
}

// PyTorch counts fans so: dimension 1 and 0, each times the product of the others.
void Initialiser::xavier(const at::Tensor& t) {
  const int64_t receptive = t.dim() > 2 ? t.size(2) : 1;
  const double fans = double((t.size(0) + t.size(1)) * receptive);
  uniform(t, std::sqrt(3.0) * std::sqrt(2.0 / fans));
}

// The sign makes the draw uniform among all such matrices.
void Initialiser::orthogonal(const LinearWeights& w, double gain) {
  const ThreadsInScope one(1);  // in threads the factors round differently, and weights would depend on their number
  const int64_t rows = w.weight.size(0), columns = w.weight.size(1);
  at::Tensor normal = at::empty({std::max(rows, columns), std::min(rows, columns)}, w.weight.options().requires_grad(false));
  normal.normal_(0, 1, generator_);
  const auto [q, r] = at::linalg_qr(normal);
  const at::Tensor uniform_q = q * r.diagonal().sign();
  w.weight.copy_((rows < columns ? uniform_q.t() : uniform_q) * gain);
  if (w.bias.defined()) w.bias.zero_();
}

void Initialiser::uniform(const at::Tensor& t, double bound) { t.uniform_(-bound, bound, generator_); }

}  // namespace orbit

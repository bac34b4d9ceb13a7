#include "src/running_moments.h"
#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace orbit {

RunningMoments::RunningMoments(int64_t width, at::Device device) {
  const auto options = at::TensorOptions().dtype(at::kDouble).device(device);
  mean = at::zeros({width}, options);
  variance = at::ones({width}, options);
  count = at::zeros({}, options);
}

void RunningMoments::add(const at::Tensor& x, const at::Tensor& counts) {
  const at::Tensor weight = counts.to(at::kDouble), n = weight.sum(), rows = x.to(at::kDouble);
  const at::Tensor divisor = n.clamp_min(1.0), column = weight.unsqueeze(-1);
  const at::Tensor new_mean = (rows * column).sum(0) / divisor;
  const at::Tensor new_variance = ((rows - new_mean).square() * column).sum(0) / divisor;
  const at::Tensor total = (count + n).clamp_min(1.0), shift = new_mean - mean;
  const at::Tensor squares = variance * count + new_variance * n + shift.square() * (count * n / total);
  const at::Tensor some = n.gt(0);
  variance.copy_(at::where(some, squares / total, variance));
  mean.copy_(at::where(some, mean + shift * (n / total), mean));
  count.add_(n);
}

}  // namespace orbit

// Mean and variance of everything seen so far, entry by entry of a row; on the device.
#pragma once
#include <ATen/core/Tensor.h>

namespace orbit {

struct RunningMoments {
  at::Tensor mean, variance;  // (D) float64; 0 and 1 as long as nothing was seen
  at::Tensor count;           // () float64

  RunningMoments(int64_t width, at::Device device);

  // Adds the rows of x (M, D) that count (M, bool), by the formula of Chan, Golub and LeVeque (1979) for two samples.
  void add(const at::Tensor& x, const at::Tensor& counts);
};

// A normalised number is clamped to this, so that a value never seen before cannot blow up a network.
constexpr double kNormalisedLimit = 10.0;

}  // namespace orbit

// One tensor's step of AdamW (Loshchilov and Hutter 2019) on a CPU, as PyTorch computes it. Torch-free.
#pragma once
#include <cmath>
#include <cstdint>

namespace orbit {

struct AdamWStep {
  double beta1, beta2, weight_decay, eps;
};

// After step number `step`, from 1.
struct AdamWRates {
  float decay, new1, keep2, new2, size, correction, eps;

  AdamWRates(const AdamWStep& s, double lr, double step)
      : decay(float(1.0 - lr * s.weight_decay)),
        new1(float(1.0 - s.beta1)),
        keep2(float(s.beta2)),
        new2(float(1.0 - s.beta2)),
        size(float(lr / (1.0 - std::pow(s.beta1, step)))),
        correction(float(1.0 / std::sqrt(1.0 - std::pow(s.beta2, step)))),
        eps(float(s.eps)) {}
};

inline void adamw_tensor(const AdamWRates& r, int64_t count, const float* gradient, float* parameter, float* exp_avg, float* exp_avg_sq) {
#pragma GCC ivdep
  for (int64_t i = 0; i < count; ++i) {
    const float g = gradient[i], m = exp_avg[i] + (g - exp_avg[i]) * r.new1, v = exp_avg_sq[i] * r.keep2 + g * g * r.new2;
    exp_avg[i] = m;
    exp_avg_sq[i] = v;
    parameter[i] = parameter[i] * r.decay - r.size * m / (std::sqrt(v) * r.correction + r.eps);
  }
}

}  // namespace orbit

#include "src/ppo/schedule.h"
#include <ATen/TensorOperators.h>
#include <ATen/ops/full_like.h>
#include <algorithm>
#include <cmath>

namespace orbit {
namespace {

double cosine_of(double x) { return std::cos(x); }
at::Tensor cosine_of(const at::Tensor& x) { return x.cos(); }

// progress: 0 at the start to 1 at the end.
template <class Number>
Number value_at(const Schedule& s, const Number& progress) {
  if (!s.cosine) return progress * (s.end - s.start) + s.start;
  return (cosine_of(progress * M_PI) + 1.0) * (0.5 * (s.start - s.end)) + s.end;
}

}  // namespace

at::Tensor scheduled(const Schedule& s, const at::Tensor& steps_done) {
  if (s.steps == 0) return at::full_like(steps_done, s.start);
  return value_at(s, (steps_done / double(s.steps)).clamp_max(1.0));
}

void write_scheduled(const at::Tensor& to, const Schedule& s, const at::Tensor& steps_done, const at::Tensor& scale) {
  if (!to.is_cpu()) {
    const at::Tensor value = scheduled(s, steps_done);
    to.copy_(scale.defined() ? value * scale : value);
    return;
  }
  const double done = double(*steps_done.const_data_ptr<float>());
  const float value = float(s.steps == 0 ? s.start : value_at(s, std::min(done / double(s.steps), 1.0)));
  *to.mutable_data_ptr<float>() = scale.defined() ? value * *scale.const_data_ptr<float>() : value;
}

}  // namespace orbit

#include "src/ppo/schedule.h"
#include <ATen/TensorOperators.h>
#include <ATen/ops/full_like.h>
#include <cmath>

namespace orbit {

at::Tensor scheduled(const Schedule& s, const at::Tensor& steps_done) {
  if (s.steps == 0) return at::full_like(steps_done, s.start);
  const at::Tensor progress = (steps_done / double(s.steps)).clamp_max(1.0);
  if (!s.cosine) return progress * (s.end - s.start) + s.start;
  return ((progress * M_PI).cos() + 1.0) * (0.5 * (s.start - s.end)) + s.end;
}

}  // namespace orbit

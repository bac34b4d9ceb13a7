// A number that changes during training, as a function of the optimizer's steps. Torch-free.
#pragma once
#include <cstdint>
#include "envs/common/host_device.h"

namespace orbit {

struct Schedule {
  double start = 0;
  double end = 0;
  int64_t steps = 0;    // from start to end over so many optimizer steps, then constant; 0: always `start`
  bool cosine = false;  // half a cosine wave (Loshchilov and Hutter 2017) instead of a straight line
};

ORBIT_FN double scheduled(const Schedule& s, double steps_done) {
  if (s.steps == 0) return s.start;
  const double progress = fmin(steps_done / double(s.steps), 1.0);
  if (!s.cosine) return s.start + progress * (s.end - s.start);
  return s.end + 0.5 * (s.start - s.end) * (1.0 + cos(progress * 3.14159265358979323846));
}

// scale may be null.
ORBIT_FN void write_scheduled(const Schedule& s, const float* steps_done, const float* scale, float* value) {
  *value = float(scheduled(s, double(*steps_done)) * (scale ? double(*scale) : 1.0));
}

}  // namespace orbit

// The box that a fleet or a planet sweeps over in one turn, in single precision. Two that touch within the turn have boxes that
// overlap; a few operations without a branch rule out nearly every pair.
#pragma once
#include "envs/common/host_device.h"

namespace orbit {

struct SweepBox {
  float x, y;            // centre
  float half_x, half_y;  // half of the extent
};

// Of a disc (or of a point, which has no radius) that moves by d. The margin is far above the rounding: coordinates are below 1,000.
ORBIT_FN SweepBox sweep_box(float x, float y, float dx, float dy, float radius) {
  constexpr float kMargin = 1e-3f;
  const float half_dx = 0.5f * dx, half_dy = 0.5f * dy, around = radius + kMargin;
  return {x + half_dx, y + half_dy, fabsf(half_dx) + around, fabsf(half_dy) + around};
}

ORBIT_FN bool overlap(const SweepBox& a, const SweepBox& b) {
  return (fabsf(a.x - b.x) <= a.half_x + b.half_x) & (fabsf(a.y - b.y) <= a.half_y + b.half_y);
}

}  // namespace orbit

// Where to aim so that a fleet meets a moving planet. Scalar: any lane may ask for any pair.
#pragma once
#include "envs/orbit_wars/state.h"

namespace orbit {

struct Aim {
  bool ok;         // false: no launch (sun in the way at every turn, or the comet leaves before)
  int32_t turns;   // flight time, >= 1
  double angle;    // radians, (-pi, pi]
  double x, y;     // where the target will be
};

ORBIT_FN Aim intercept(const Game& g, int source_slot, int target_slot, int32_t ships);

}  // namespace orbit

// The action of one seat as the policy gives it, a row per planet slot, and what a decoder notes about it.
#pragma once
#include "envs/orbit_wars/state.h"

namespace orbit {

constexpr int32_t kNoOpTarget = kFeatureSlots;

struct ActionRows {
  const int32_t* target;  // (kFeatureSlots)
  const float* x;         // (kFeatureSlots) log1p of ships, as sampled
  int seat;
  int slots;              // in use

  // Slot at which the seat's planet i aims; -1: it launches nothing (not the seat's own, no-op, no such planet, no ships).
  ORBIT_FN int target_of(const Game& g, int i) const {
    if (g.planets.owner[i] != seat || g.planets.ships[i] <= 0) return -1;
    return target[i] >= 0 && target[i] < slots ? target[i] : -1;
  }
  // Rounded half to even, and cut to the garrison before it becomes an integer, since expm1 of a large x does not fit.
  ORBIT_FN int32_t ships_of(int i, int32_t garrison) const {
    return int32_t(smaller(rint(expm1(larger(0.0, double(x[i])))), double(garrison)));
  }
};

struct DecodeScratch {
  int32_t ships[kFeatureSlots];      // 0: no launch
  double angle[kFeatureSlots];
  int32_t committed[kMaxPlanets];    // strict: ships of the seat on their way to a planet
};

}  // namespace orbit

// What one turn of one game needs besides its state: on the stack of a CPU thread, in shared memory on a GPU.
#pragma once
#include "envs/orbit_wars/limits.h"

namespace orbit {

struct StepScratch {
  alignas(64) double new_x[kMaxPlanets];  // where the planets are after this turn
  double new_y[kMaxPlanets];
  float near_x[kMaxPlanets];              // for the cheap test of the sweep: where the planet starts,
  float near_y[kMaxPlanets];              // and how far from there it can touch anything in this turn
  float reach[kMaxPlanets];
  int32_t arrivals[kMaxSeats][kMaxPlanets];  // ships of each seat that hit the planet in this turn
};

}  // namespace orbit

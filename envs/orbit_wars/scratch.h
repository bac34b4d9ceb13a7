// What one turn of one game needs besides its state: on the stack of a CPU thread, in shared memory on a GPU.
#pragma once
#include "envs/orbit_wars/limits.h"

namespace orbit {

struct StepScratch {
  alignas(64) double new_x[kMaxPlanets];  // where the planets are after this turn
  double new_y[kMaxPlanets];
  float sweep_x[kMaxPlanets];             // the boxes of their ways there (sweep_box.h)
  float sweep_y[kMaxPlanets];
  float sweep_half_x[kMaxPlanets];
  float sweep_half_y[kMaxPlanets];
  int32_t arrivals[kMaxSeats][kMaxPlanets];  // ships of each seat that hit the planet in this turn
};

}  // namespace orbit

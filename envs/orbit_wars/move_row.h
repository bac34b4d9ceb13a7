// Where one seat writes its orders of a turn: its row of the batch that a tick reads as Moves (state.h).
#pragma once
#include "envs/common/host_device.h"

namespace orbit {

struct MoveRow {
  int32_t* count;    // () orders written; they are carried out in this order
  int32_t* from;     // (capacity) planet ids
  int32_t* ships;    // (capacity)
  double* angle;     // (capacity) radians
  int32_t capacity;  // at least kMaxPlanets for a player that gives at most one order a planet
};

}  // namespace orbit

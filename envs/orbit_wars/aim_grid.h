// Aims of many source-target pairs of one state at once.
#pragma once
#include "envs/common/lanes.h"
#include "envs/orbit_wars/intercept.h"

namespace orbit {

// Base pointers of one environment's grid (A, B), row-major: sources by rows, targets by columns, both planet slots.
struct AimGrid {
  const int32_t* ships;  // sent from the source; not asked where <= 0, where both are the same or a slot is empty
  bool* ok;              // the rest is 0 where it is false
  int32_t* turns;        // flight time
  double* angle;         // radians, (-pi, pi]
  double* x;             // the meeting point
  double* y;
  int32_t sources, targets;
};

constexpr int kTabledTurns = 128;

struct AimScratch {
  Point rotation[kTabledTurns];
};

// The board's rotation from a table as far as it reaches.
struct TabledRotation {
  const Point* table;
  int length;
  Rotation beyond;
  ORBIT_FN Point operator()(int turns) const { return turns < length ? table[turns] : beyond(turns); }
};

template <class L>
ORBIT_FN void aim_pairs(const L& lanes, const Game& g, const AimGrid& grid, AimScratch& s) {
  const int pairs = grid.sources * grid.targets, planets = g.now->planet_count;
  const Rotation turn{*g.board.omega};
  const TabledRotation rotation{s.rotation, pairs > kTabledTurns ? kTabledTurns : 0, turn};  // else it costs more than it saves
  lanes.for_each(rotation.length, [&](int k) { s.rotation[k] = turn(k); });
  lanes.for_each(pairs, [&](int pair) {
    const int source = pair / grid.targets, target = pair - source * grid.targets;
    const bool asked = grid.ships[pair] > 0 && source != target && source < planets && target < planets;
    const Aim aim = asked ? intercept(g, source, target, grid.ships[pair], rotation) : kNoAim;
    grid.ok[pair] = aim.ok;
    grid.turns[pair] = aim.turns;
    grid.angle[pair] = aim.angle;
    grid.x[pair] = aim.x;
    grid.y[pair] = aim.y;
  });
}

}  // namespace orbit

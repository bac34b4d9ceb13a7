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
static_assert(kTabledTurns > kLastArrival + 2, "a search looks one turn past its last");

struct AimScratch {
  Point rotation[kTabledTurns];
  Course course[kMaxPlanets];  // of the targets
  alignas(16) Pursuit state[kMaxPlanets * kMaxPlanets];  // of the pairs
  uint8_t source[kMaxPlanets * kMaxPlanets], target[kMaxPlanets * kMaxPlanets];
};

// The board's rotation from a table as far as it reaches.
struct TabledRotation {
  const Point* table;
  Rotation beyond;
  ORBIT_FN Point operator()(int turns) const { return turns < kTabledTurns ? table[turns] : beyond(turns); }

  struct Walk {
    const Point* at;
    Point now, next;
    ORBIT_FN void advance() {
      ++at;
      now = at[0];
      next = at[1];
    }
  };
  ORBIT_FN Walk from(int turns) const { return {table + turns, table[turns], table[turns + 1]}; }
};

// All pairs go through each step of intercept() together: its roots, divisions and arcs take long to arrive, but of many pairs
// they overlap. Meanwhile the grid's own cells hold the chase, and angle the speed.
template <class L, class R>
ORBIT_FN void aim_pairs_by(const L& lanes, const Game& g, const AimGrid& grid, AimScratch& s, const R& rotation) {
  const Planets& p = g.planets;
  const int planets = g.now->planet_count, pairs = grid.sources * grid.targets;
  const auto origin = [&](int pair) { return origin_of(p, s.source[pair], s.target[pair], grid.angle[pair]); };
  const auto course = [&](int pair) -> const Course& { return s.course[s.target[pair]]; };
  const auto store = [&](int pair, const Chase& c) {
    s.state[pair] = c.state;
    grid.turns[pair] = c.meeting.turns;
    grid.x[pair] = c.meeting.at.x;
    grid.y[pair] = c.meeting.at.y;
  };
  const auto all_in = [&](Pursuit state) { return [&s, state](int pair) { return s.state[pair] == state; }; };

  lanes.for_each(pairs, [&](int pair) {
    const int source = pair / grid.targets, target = pair - source * grid.targets;
    s.source[pair] = uint8_t(source);
    s.target[pair] = uint8_t(target);
    const bool asked = (grid.ships[pair] > 0) & (source != target) & (source < planets) & (target < planets);
    s.state[pair] = asked ? Pursuit::kRunning : Pursuit::kNever;
    grid.angle[pair] = aim_speed(grid.ships[pair]);
  });
  lanes.for_each_where(pairs, all_in(Pursuit::kRunning), [&](int pair) { store(pair, begin_chase(course(pair), origin(pair))); });
  for (int i = 0; i < kRenewals; ++i)
    lanes.for_each_where(pairs, all_in(Pursuit::kRunning), [&](int pair) {
      const Meeting last{grid.turns[pair], {grid.x[pair], grid.y[pair]}};
      store(pair, renew_chase(g, course(pair), origin(pair), rotation, last));
    });
  lanes.for_each_where(pairs, all_in(Pursuit::kSearch), [&](int pair) {
    const Meeting m = search_arrival(g, course(pair), origin(pair), rotation);
    store(pair, {m.turns > 0 ? Pursuit::kMet : Pursuit::kNever, m});
  });
  lanes.for_each(pairs, [&](int pair) {
    const bool ok = s.state[pair] != Pursuit::kNever;
    const int source = s.source[pair];
    grid.ok[pair] = ok;
    grid.angle[pair] = ok ? atan2(grid.y[pair] - p.y[source], grid.x[pair] - p.x[source]) : 0.0;
    if (!ok) grid.turns[pair] = 0, grid.x[pair] = grid.y[pair] = 0;
  });
}

template <class L>
ORBIT_FN void aim_pairs(const L& lanes, const Game& g, const AimGrid& grid, AimScratch& s) {
  const Rotation rotation{*g.board.omega};
  lanes.for_each(smaller(grid.targets, g.now->planet_count), [&](int i) { s.course[i] = course_of(g, i); });
  if (grid.sources * grid.targets < kTabledTurns) return aim_pairs_by(lanes, g, grid, s, rotation);  // a table costs more than it saves
  lanes.for_each(kTabledTurns, [&](int k) { s.rotation[k] = rotation(k); });
  aim_pairs_by(lanes, g, grid, s, TabledRotation{s.rotation, rotation});
}

}  // namespace orbit

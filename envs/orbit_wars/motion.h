// Where planets and comets go in this turn.
#pragma once
#include "envs/orbit_wars/comets.h"
#include "envs/orbit_wars/scratch.h"
#include "envs/orbit_wars/sweep_box.h"

namespace orbit {

// Rules 6.5: planets on orbits. The angle is omega times the step before the turn, so states 0 and 1 show the same.
template <Motion M, class L>
ORBIT_FN void plan_orbits(const L& lanes, const Game& g, StepScratch& s) {
  const Planets& p = g.planets;
  const double turned = *g.board.omega * g.now->step;
  const double c = M != Motion::kExact ? cosine(turned) : 0, sn = M != Motion::kExact ? sine(turned) : 0;
  lanes.for_each_padded(g.now->planet_count, [&](int i) {
    const bool orbits = p.kind[i] == kOrbiting;
    double x = p.x[i], y = p.y[i];
    if (M != Motion::kExact) {
      const double rx = kCentre + (p.arm_x[i] * c - p.arm_y[i] * sn), ry = kCentre + (p.arm_x[i] * sn + p.arm_y[i] * c);
      x = orbits ? rx : x;
      y = orbits ? ry : y;
    } else if (orbits) {
      const double angle = p.phase[i] + turned;
      x = kCentre + p.orbit[i] * cosine(angle);
      y = kCentre + p.orbit[i] * sine(angle);
    }
    s.new_x[i] = x;
    s.new_y[i] = y;
  });
}

// Rules 6.5: comets go to the next point of their path; one past its last point stays where it is for its last turn.
template <class L>
ORBIT_FN void plan_comets(const L& lanes, Game& g, StepScratch& s) {
  const Planets& p = g.planets;
  const uint32_t live = live_waves(g);
  if (!live) return;
  lanes.for_each(kMaxWaves, [&](int w) { g.now->wave_index[w] += live >> w & 1; });
  lanes.for_each(g.now->planet_count, [&](int i) {
    if (p.kind[i] != kComet) return;
    const int q = p.path[i], k = g.now->wave_index[q >> 2];
    if (k >= path_length(g.board, q)) return;
    const Point to = path_point(g.board, q, k);
    s.new_x[i] = to.x;
    s.new_y[i] = to.y;
  });
}

// What the cheap test of the sweep needs (see hit_planets). Collisions are off for a comet in its placement turn, which the
// game recognises by x < 0, but not for one in its last turn.
template <class L>
ORBIT_FN void plan_sweep(const L& lanes, const Game& g, StepScratch& s) {
  const Planets& p = g.planets;
  const int np = g.now->planet_count;
  lanes.for_each_padded(np, [&](int i) {
    const float x = float(p.x[i]), y = float(p.y[i]);
    const SweepBox box = sweep_box(x, y, float(s.new_x[i]) - x, float(s.new_y[i]) - y, float(p.radius[i]));
    s.sweep_x[i] = box.x;
    s.sweep_y[i] = box.y;
    s.sweep_half_x[i] = box.half_x;
    s.sweep_half_y[i] = box.half_y;
  });
  const Mask placed_now = lanes.mask(np, [&](int i) { return (p.kind[i] == kInert) | ((p.kind[i] == kComet) & (p.x[i] < 0)); });
  const Mask off = placed_now & ~finished_comets(lanes, g);
  constexpr float kMeetsNothing = -1e9f;
  if (off) lanes.for_each_in(off, [&](int i) { s.sweep_half_x[i] = kMeetsNothing; });
}

// Rules 6.7.
template <class L>
ORBIT_FN void move_planets(const L& lanes, Game& g, const StepScratch& s) {
  lanes.for_each(g.now->planet_count, [&](int i) {
    g.planets.x[i] = s.new_x[i];
    g.planets.y[i] = s.new_y[i];
  });
}

}  // namespace orbit

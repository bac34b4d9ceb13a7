// Fleets: how they start, fly, hit and get lost.
#pragma once
#include "envs/common/lanes.h"
#include "envs/orbit_wars/geometry.h"
#include "envs/orbit_wars/scratch.h"
#include "envs/orbit_wars/state.h"
#include "envs/orbit_wars/sweep_box.h"

namespace orbit {

// Start point and displacement of the fleets from slot first on, all at once since the functions are costly. On entry x, y
// hold the planet's centre and dx the distance from it.
template <class L>
ORBIT_FN void aim_new_fleets(const L& lanes, Fleets& f, int first, int count, double ship_speed) {
  lanes.for_each(count - first, [&](int j) {
    const int i = first + j;
    const double c = cosine(f.angle[i]), s = sine(f.angle[i]), out = f.dx[i], speed = fleet_speed(f.ships[i], ship_speed);
    f.x[i] += c * out;
    f.y[i] += s * out;
    f.dx[i] = c * speed;
    f.dy[i] = s * speed;
  });
}

// Rules 6.3: seat by seat, in list order; a later move sees what an earlier one left. Nothing is clamped: a move that asks
// too much is refused without effect. One that finds no free slot is refused too, and counted.
template <class L>
ORBIT_FN void launch(const L& lanes, Game& g, const Rules& rules, const Moves& moves) {
  Planets& p = g.planets;
  Fleets& f = g.fleets;
  const int first = g.now->fleet_count, np = g.now->planet_count;
  int n = first, id = g.now->next_fleet_id, refused = 0;
  for (int seat = 0; seat < rules.seats; ++seat) {
    for (int k = seat * moves.stride, end = k + moves.given(seat); k < end; ++k) {
      const int from = moves.from[k], ships = moves.ships[k];
      const int source = lanes.first_where(np, [&](int i) { return p.id[i] == from; });
      if (source < 0 || p.owner[source] != seat || ships <= 0 || p.ships[source] < ships) continue;
      if (n == rules.max_fleets) {
        ++refused;
        continue;
      }
      lanes.once([&] {
        p.ships[source] -= ships;
        f.id[n] = id;
        f.owner[n] = seat;
        f.from[n] = from;
        f.ships[n] = ships;
        f.angle[n] = moves.angle[k];
        f.x[n] = p.x[source];
        f.y[n] = p.y[source];
        f.dx[n] = p.radius[source] + kLaunchOffset;
      });
      ++n;
      ++id;
    }
  }
  if (n == first && refused == 0) return;
  aim_new_fleets(lanes, f, first, n, rules.ship_speed);
  lanes.once([&] {
    g.now->fleet_count = n;
    g.now->next_fleet_id = id;
    g.now->refused += refused;
  });
}

// Rules 6.6, first item: a fleet hits the first planet in list order that it touches. The boxes that both sweep over rule out nearly
// every pair.
template <class L>
ORBIT_FN void hit_planets(const L& lanes, Game& g, StepScratch& s) {
  const Planets& p = g.planets;
  Fleets& f = g.fleets;
  lanes.for_each(kMaxPlanets, [&](int i) {
    for (int seat = 0; seat < kMaxSeats; ++seat) s.arrivals[seat][i] = 0;
  });
  lanes.first_match(
      g.now->fleet_count, g.now->planet_count,
      [&](int i) { return sweep_box(float(f.x[i]), float(f.y[i]), float(f.dx[i]), float(f.dy[i]), 0); },
      [&](const SweepBox& box, int j) {
        return overlap(box, SweepBox{s.sweep_x[j], s.sweep_y[j], s.sweep_half_x[j], s.sweep_half_y[j]});
      },
      [&](int i, int j) {
        const double ax = f.x[i], ay = f.y[i];
        return swept_hit(ax, ay, ax + f.dx[i], ay + f.dy[i], p.x[j], p.y[j], s.new_x[j], s.new_y[j], p.radius[j]);
      },
      [&](int i, int j) {
        if (f.owner[i] >= 0) lanes.add(s.arrivals[f.owner[i]][j], f.ships[i]);  // nobody's fights nobody
        f.ships[i] = 0;  // it leaves
      });
}

// Rules 6.6, second and third item: off the board, or into the sun. The cheap test: may it, in this turn? In single precision, with a
// margin far above its rounding.
template <class L>
ORBIT_FN void lose_fleets(const L& lanes, Game& g) {
  Fleets& f = g.fleets;
  lanes.for_each_where(
      g.now->fleet_count,
      [&](int i) {
        const float hx = 0.5f * float(f.dx[i]), hy = 0.5f * float(f.dy[i]);
        const float mx = float(f.x[i]) - float(kCentre) + hx, my = float(f.y[i]) - float(kCentre) + hy;  // middle of its way
        constexpr float kMargin = 1e-3f, kSun = float(kSunRadius) + kMargin, kEdge = float(kBoardSize - kCentre) - kMargin;
        const bool near_sun = (fabsf(mx) <= fabsf(hx) + kSun) & (fabsf(my) <= fabsf(hy) + kSun);
        const bool inside = (fabsf(mx + hx) <= kEdge) & (fabsf(my + hy) <= kEdge);
        return !inside | near_sun;
      },
      [&](int i) {
        const double ax = f.x[i], ay = f.y[i], bx = ax + f.dx[i], by = ay + f.dy[i];
        if (!on_board(bx, by) || crosses_sun(ax, ay, bx, by)) f.ships[i] = 0;
      });
}

// Rules 6.6: every fleet moves by its displacement; those that hit something or got lost leave the list.
template <class L>
ORBIT_FN void move_fleets(const L& lanes, Game& g, StepScratch& s) {
  Fleets& f = g.fleets;
  const int nf = g.now->fleet_count;
  hit_planets(lanes, g, s);
  lose_fleets(lanes, g);
  lanes.for_each(nf, [&](int i) {
    f.x[i] += f.dx[i];
    f.y[i] += f.dy[i];
  });
  const auto stays = [&](int i) { return f.ships[i] > 0; };
  const int left = with_arrays(f, [&](auto*... arrays) { return lanes.compact(nf, stays, arrays...); });
  if (left != nf) lanes.once([&] { g.now->fleet_count = left; });
}

}  // namespace orbit

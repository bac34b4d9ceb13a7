// The strict decoder: sends what a target needs beyond what already flies there, and nothing on a path that looks doubtful.
#pragma once
#include "envs/common/lanes.h"
#include "envs/orbit_wars/action_rows.h"
#include "envs/orbit_wars/intercept.h"
#include "envs/orbit_wars/ray.h"

namespace orbit {

constexpr int32_t kLeastLaunch = 5;
constexpr double kAimTolerance = 0.7;    // of the target's radius
constexpr double kCometClearance = 3.0;

// Is planet i the first that fleet j meets on its way? Of two at the same distance the lower slot.
ORBIT_FN bool meets_first(const Game& g, int slots, int j, int i) {
  const double way = ray_distance(g, j, i);
  if (way < 0) return false;
  for (int k = 0; k < slots; ++k) {
    const double other = ray_distance(g, j, k);
    if (other >= 0 && (other < way || (other == way && k < i))) return false;
  }
  return true;
}

template <class L>
ORBIT_FN void count_committed(const L& lanes, const Game& g, const ActionRows& a, DecodeScratch& s) {
  const Fleets& f = g.fleets;
  lanes.for_each(a.slots, [&](int i) { s.committed[i] = 0; });
  lanes.for_each_match(
      a.slots, g.now->fleet_count,
      [&](int i) {
        const RayTest ray(g, i);
        return [=, &f](int j) { return ray.may_meet(j) & (f.owner[j] == a.seat); };
      },
      [&](int i, int j) { s.committed[i] += meets_first(g, a.slots, j, i) ? f.ships[j] : 0; });
}

// Ships from source i to target t with `committed` already on their way; 0: they are not needed.
ORBIT_FN int32_t strict_ships(const Game& g, const ActionRows& a, int i, int t, int32_t committed) {
  const Planets& p = g.planets;
  const int32_t ships = smaller(larger(a.ships_of(i, p.ships[i]), kLeastLaunch), p.ships[i]);
  if (p.owner[t] == a.seat) return committed > 2 * int64_t(p.ships[t]) ? 0 : ships;
  const int64_t need = int64_t(p.ships[t]) + 1 - committed;
  return need <= 0 ? 0 : int32_t(smaller(larger(int64_t(ships), need), int64_t(p.ships[i])));
}

// Is the target predicted near the aim point at the arrival turn, the one before and the one after? A comet must also fly on
// after the arrival.
ORBIT_FN bool target_is_sure(const Game& g, int t, const Aim& aim) {
  const Course course = course_of(g, t);
  if (course.kind == kComet && course.end - course.at <= aim.turns + 1) return false;
  const double near = kAimTolerance * g.planets.radius[t];
  for (int turn = aim.turns - 1; turn <= aim.turns + 1; ++turn) {
    Point at;
    if (!position_after(g, course, turn, at)) return false;
    const double dx = at.x - aim.x, dy = at.y - aim.y;
    if (dx * dx + dy * dy > near * near) return false;
  }
  return true;
}

// Does the fleet, at whole turns up to its arrival, keep clear of the sun and of every comet but its target?
ORBIT_FN bool path_is_clear(const Game& g, int i, int t, int32_t ships, const Aim& aim) {
  const Planets& p = g.planets;
  const double ux = cosine(aim.angle), uy = sine(aim.angle), speed = aim_speed(ships), out = p.radius[i] + kLaunchOffset;
  for (int turn = 0; turn <= aim.turns; ++turn) {
    const double dx = p.x[i] + ux * (out + speed * turn) - kCentre, dy = p.y[i] + uy * (out + speed * turn) - kCentre;
    if (dx * dx + dy * dy < kSunClearance * kSunClearance) return false;
  }
  for (int c = 0; c < g.now->planet_count; ++c) {
    if (p.kind[c] != kComet || c == t) continue;
    const Course course = course_of(g, c);
    for (int turn = 1; turn <= aim.turns; ++turn) {
      Point at;
      if (!position_after(g, course, turn, at)) continue;
      const double dx = p.x[i] + ux * (out + speed * turn) - at.x, dy = p.y[i] + uy * (out + speed * turn) - at.y;
      if (dx * dx + dy * dy < kCometClearance * kCometClearance) return false;
    }
  }
  return true;
}

// Sources of the same target are served in slot order, each seeing what the earlier ones launched; targets are independent.
// A source writes only its own slot, and it has but one target.
template <class L>
ORBIT_FN void decode_strict(const L& lanes, const Game& g, const ActionRows& a, DecodeScratch& s) {
  count_committed(lanes, g, a, s);
  lanes.for_each(a.slots, [&](int i) { s.ships[i] = 0; });
  lanes.for_each(a.slots, [&](int t) {
    for (int i = 0; i < a.slots; ++i) {
      if (i == t || a.target_of(g, i) != t) continue;
      const int32_t ships = strict_ships(g, a, i, t, s.committed[t]);
      if (ships == 0) continue;
      const Aim aim = intercept(g, i, t, ships);
      if (!aim.ok || !target_is_sure(g, t, aim) || !path_is_clear(g, i, t, ships, aim)) continue;
      s.ships[i] = ships;
      s.angle[i] = aim.angle;
      s.committed[t] += ships;
    }
  });
}

}  // namespace orbit

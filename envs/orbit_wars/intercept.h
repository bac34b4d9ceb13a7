// Where to aim so that a fleet meets a moving planet. Scalar: any lane may ask for any pair. First a fixed point (fly to where
// the target will be after the flight time), and where the sun stands in the way a search over all arrival turns.
#pragma once
#include "envs/orbit_wars/prediction.h"

namespace orbit {

struct Aim {
  bool ok;         // false: no launch (sun in the way at every turn, or the comet leaves before)
  int32_t turns;   // flight time, >= 1
  double angle;    // radians, (-pi, pi]
  double x, y;     // where the target will be
};

constexpr double kSunClearance = 11.5;  // a path that comes closer to the centre is refused
constexpr int kLastArrival = 110;       // the search looks this far

// Speed at the official limit of 6, whatever the configuration says.
ORBIT_FN double aim_speed(int32_t ships) {
  if (ships <= 1) return 1.0;
  const double share = smaller(1.0, log(double(ships)) / log(1000.0));
  return 1.0 + 5.0 * share * sqrt(share);
}

// A flight to a disc centred at a point: its direction and turns.
struct Flight {
  double ux, uy, travel;
  int32_t turns;
};
struct Origin {
  double x, y, out;      // centre of the planet that launches; distance from there at which the fleet starts
  double target_radius;
  double speed;
};

ORBIT_FN Flight flight_to(const Origin& o, Point to) {
  const double dx = to.x - o.x, dy = to.y - o.y, d = sqrt(dx * dx + dy * dy), travel = larger(0.0, d - o.out - o.target_radius);
  const bool apart = d > 0;
  return {apart ? dx / d : 1.0, apart ? dy / d : 0.0, travel, larger(1, int32_t(ceil(travel / o.speed)))};
}

// Does the flight keep clear of the sun? Nearest point of its straight path to the centre.
ORBIT_FN bool clears_sun(const Origin& o, const Flight& f) {
  const double wx = kCentre - (o.x + f.ux * o.out), wy = kCentre - (o.y + f.uy * o.out);
  const bool moves = f.travel * f.travel > 1e-9;
  const double along = moves ? clamp(wx * f.ux + wy * f.uy, 0.0, f.travel) : 0.0;
  const double ex = wx - along * f.ux, ey = wy - along * f.uy;
  return ex * ex + ey * ey >= kSunClearance * kSunClearance;
}

ORBIT_FN Aim aim_of(const Flight& f, Point at) { return {true, f.turns, atan2(f.uy, f.ux), at.x, at.y}; }
constexpr Aim kNoAim{false, 0, 0, 0, 0};

// Does a flight of about k turns get to the place `at`, k - 1 to k + 1 by the formula of flight_to? Without its root, and with
// slack far above the rounding.
ORBIT_FN bool arrives_near(const Origin& o, int k, Point at) {
  constexpr double kSlack = 1e-6;
  const double dx = at.x - o.x, dy = at.y - o.y, d2 = dx * dx + dy * dy, reach = o.out + o.target_radius;
  const double least = reach + (k - 2) * o.speed - kSlack, most = reach + (k + 1) * o.speed + kSlack;
  return ((k <= 2) | (d2 >= least * least)) & (d2 <= most * most);
}

// The turns at which an orbiting target can be met at all: its distance lies between those of the ends of its orbit's diameter
// through the source.
struct TurnRange {
  int first, last;
};
ORBIT_FN TurnRange arrival_turns(const Course& course, const Origin& o) {
  if (course.kind == kComet) return {1, smaller(kLastArrival, course.end - course.at - 1)};
  const double wx = o.x - kCentre, wy = o.y - kCentre, away = sqrt(wx * wx + wy * wy), reach = o.out + o.target_radius;
  const double least = fabs(away - course.orbit) - reach, most = away + course.orbit - reach;
  constexpr double kTurns = kLastArrival;  // in range before it becomes an integer
  return {larger(1, int(smaller(larger(0.0, least / o.speed), kTurns)) - 1), int(smaller(larger(0.0, most / o.speed) + 3.0, kTurns))};
}

// Over all turns k at which the flight to the target's place then takes about k turns: the least (turns off, arrival, k).
// Places follow each other by one rotation a turn. An arrival that is not off ends the search: later ones are no earlier.
template <class R>
ORBIT_FN Aim search_arrival(const Game& g, const Course& course, const Origin& o, const R& rotation) {
  const TurnRange range = arrival_turns(course, o);
  const bool orbits = course.kind == kOrbiting;
  const Point one = orbits ? rotation(1) : Point{1, 0};
  Point next = orbits ? rotation(range.first) : one;
  Flight best{};
  Point best_at{};
  int best_off = 2;
  for (int k = range.first; k <= range.last && best_off > 0; ++k) {
    const Point now = next;
    next = {now.x * one.x - now.y * one.y, now.x * one.y + now.y * one.x};
    Point at;
    if (!position_after(g, course, k, now.x, now.y, at) || !arrives_near(o, k, at)) continue;
    Flight f = flight_to(o, at);
    if (f.turns < k - 1 || f.turns > k + 1 || !clears_sun(o, f)) continue;
    const int m = larger(f.turns, k);
    if (m > k) {  // then the place one turn later counts
      if (!position_after(g, course, m, next.x, next.y, at)) continue;
      f = flight_to(o, at);
      if (!clears_sun(o, f)) continue;
    }
    const int off = f.turns > m ? f.turns - m : m - f.turns;
    if (off > 1 || off > best_off || (off == best_off && f.turns >= best.turns)) continue;
    best = f;
    best_at = at;
    best_off = off;
  }
  return best_off <= 1 ? aim_of(best, best_at) : kNoAim;
}

template <class R>
ORBIT_FN Aim intercept(const Game& g, int source_slot, int target_slot, int32_t ships, const R& rotation) {
  constexpr int kIterations = 5;
  constexpr double kSettled = 0.3;
  const Planets& p = g.planets;
  const Course course = course_of(g, target_slot);
  const Origin o{p.x[source_slot], p.y[source_slot], p.radius[source_slot] + kLaunchOffset, p.radius[target_slot],
                 aim_speed(ships)};
  Point at{course.x, course.y};
  Flight flight = flight_to(o, at);
  bool clear = clears_sun(o, flight);
  if (course.kind == kFixed) return clear ? aim_of(flight, at) : kNoAim;
  for (int i = 0; clear && i < kIterations; ++i) {
    Point next;
    if (!position_after(g, course, flight.turns, rotation, next)) return kNoAim;
    const Flight renewed = flight_to(o, next);
    clear = clears_sun(o, renewed);
    if (!clear) break;
    const int change = renewed.turns - flight.turns;
    const bool settled = fabs(next.x - at.x) < kSettled && fabs(next.y - at.y) < kSettled && change >= -1 && change <= 1;
    flight = renewed;
    at = next;
    if (settled) break;
  }
  return clear ? aim_of(flight, at) : search_arrival(g, course, o, rotation);
}
ORBIT_FN Aim intercept(const Game& g, int source_slot, int target_slot, int32_t ships) {
  return intercept(g, source_slot, target_slot, ships, Rotation{*g.board.omega});
}

}  // namespace orbit

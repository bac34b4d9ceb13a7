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
  const double share = smaller(1.0, log(double(ships)) * (1.0 / 6.907755278982137));  // ln 1000
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
  double speed, turns_per_unit;  // and its inverse
};
ORBIT_FN Origin origin_of(const Planets& p, int source, int target, double speed) {
  return {p.x[source], p.y[source], p.radius[source] + kLaunchOffset, p.radius[target], speed, 1.0 / speed};
}

constexpr double kLongestFlight = 10000;  // turns; also of a flight to no number
ORBIT_FN Flight flight_to(const Origin& o, Point to) {
  const double dx = to.x - o.x, dy = to.y - o.y, d = sqrt(dx * dx + dy * dy), travel = larger(0.0, d - o.out - o.target_radius);
  const bool apart = d > 0;
  const double scale = 1.0 / d;
  return {apart ? dx * scale : 1.0, apart ? dy * scale : 0.0, travel, larger(1, int32_t(smaller(kLongestFlight, ceil(travel * o.turns_per_unit))))};
}

// Does the flight keep clear of the sun? Nearest point of its straight path to the centre.
ORBIT_FN bool clears_sun(const Origin& o, const Flight& f) {
  const double wx = kCentre - (o.x + f.ux * o.out), wy = kCentre - (o.y + f.uy * o.out);
  const bool moves = f.travel * f.travel > 1e-9;
  const double along = moves ? clamp(wx * f.ux + wy * f.uy, 0.0, f.travel) : 0.0;
  const double ex = wx - along * f.ux, ey = wy - along * f.uy;
  return ex * ex + ey * ey >= kSunClearance * kSunClearance;
}

// Where the target will be after how many turns; 0 turns: never.
struct Meeting {
  int32_t turns;
  Point at;
};
constexpr Meeting kNoMeeting{0, {0, 0}};

// How a flight to the place `at` compares with k turns: 0 where it takes k - 1 to k + 1 by the formula of flight_to, else whether
// it comes sooner (-1) or later. Without the formula's root, and with slack far above rounding.
ORBIT_FN int arrival_against(const Origin& o, int k, Point at) {
  constexpr double kSlack = 1e-6;
  const double dx = at.x - o.x, dy = at.y - o.y, d2 = dx * dx + dy * dy, reach = o.out + o.target_radius;
  const double least = reach + (k - 2) * o.speed - kSlack, most = reach + (k + 1) * o.speed + kSlack;
  return d2 > most * most ? 1 : (k > 2) & (d2 < least * least) ? -1 : 0;
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
  return {larger(1, int(smaller(larger(0.0, least * o.turns_per_unit), kTurns)) - 1), int(smaller(larger(0.0, most * o.turns_per_unit) + 3.0, kTurns))};
}

// Over all turns k at which the flight to the target's place then takes about k turns: the least (turns off, arrival, k). An arrival that is not off ends the search: later ones are no earlier.
template <class R>
ORBIT_FN Meeting search_arrival(const Game& g, const Course& course, const Origin& o, const R& rotation) {
  const TurnRange range = arrival_turns(course, o);
  const bool orbits = course.kind == kOrbiting;
  auto turned = rotation.from(range.first);
  const bool outrun = orbits && course.orbit * fabs(course.omega) <= o.speed;  // too early once, too early at all later turns
  Meeting best = kNoMeeting;
  int best_off = 2;
  for (int k = range.first; k <= range.last && best_off > 0; ++k, turned.advance()) {
    Point at;
    if (!position_after(g, course, k, turned.now.x, turned.now.y, at)) continue;
    const int late = arrival_against(o, k, at);
    if (late < 0 && outrun) break;
    if (late != 0) continue;
    Flight f = flight_to(o, at);
    if (f.turns < k - 1 || f.turns > k + 1 || !clears_sun(o, f)) continue;
    const int m = larger(f.turns, k);
    if (m > k) {  // then the place one turn later counts
      if (!position_after(g, course, m, turned.next.x, turned.next.y, at)) continue;
      f = flight_to(o, at);
      if (!clears_sun(o, f)) continue;
    }
    const int off = f.turns > m ? f.turns - m : m - f.turns;
    if (off > 1 || off > best_off || (off == best_off && f.turns >= best.turns)) continue;
    best = {f.turns, at};
    best_off = off;
  }
  return best;
}

// The fixed point of one pair. Written without branches where it matters: many pairs take each of its steps together (aim_grid.h).
enum class Pursuit : uint8_t { kRunning, kMet, kNever, kSearch };
struct Chase {
  Pursuit state;
  Meeting meeting;
};

// Flight to where the target is now.
ORBIT_FN Chase begin_chase(const Course& course, const Origin& o) {
  const Point at{course.x, course.y};
  const Flight f = flight_to(o, at);
  const bool clear = clears_sun(o, f), fixed = course.kind == kFixed;
  const Pursuit state = fixed ? (clear ? Pursuit::kMet : Pursuit::kNever) : clear ? Pursuit::kRunning : Pursuit::kSearch;
  return {state, {f.turns, at}};
}

// Flight to where it will be after the flight so far. rotation: of the board, by a number of turns.
template <class R>
ORBIT_FN Chase renew_chase(const Game& g, const Course& course, const Origin& o, const R& rotation, const Meeting& last) {
  constexpr double kSettled = 0.3;
  Point next;
  if (!position_after(g, course, last.turns, rotation, next)) return {Pursuit::kNever, kNoMeeting};
  const Flight f = flight_to(o, next);
  const int change = f.turns - last.turns;
  const bool settled = (fabs(next.x - last.at.x) < kSettled) & (fabs(next.y - last.at.y) < kSettled) & (change >= -1) & (change <= 1);
  const Pursuit state = !clears_sun(o, f) ? Pursuit::kSearch : settled ? Pursuit::kMet : Pursuit::kRunning;
  return {state, {f.turns, next}};
}
constexpr int kRenewals = 5;  // then the last flight counts, settled or not

ORBIT_FN Aim intercept(const Game& g, int source_slot, int target_slot, int32_t ships) {
  const Origin o = origin_of(g.planets, source_slot, target_slot, aim_speed(ships));
  const Course course = course_of(g, target_slot);
  const Rotation rotation{*g.board.omega};
  Chase c = begin_chase(course, o);
  for (int i = 0; i < kRenewals && c.state == Pursuit::kRunning; ++i) c = renew_chase(g, course, o, rotation, c.meeting);
  if (c.state == Pursuit::kSearch) c.meeting = search_arrival(g, course, o, rotation);
  const bool ok = c.state != Pursuit::kNever && c.meeting.turns > 0;
  const Point at = c.meeting.at;
  return ok ? Aim{true, c.meeting.turns, atan2(at.y - o.y, at.x - o.x), at.x, at.y} : Aim{};
}

}  // namespace orbit

// The start of a game: state 0 from a row of the board bank (rules 4 and 5).
#pragma once
#include "envs/orbit_wars/geometry.h"
#include "envs/orbit_wars/history.h"

namespace orbit {

// Seat that starts on member 0..3 of the home group. Two players sit on opposite planets.
ORBIT_FN int32_t home_seat(int32_t member, int32_t seats) {
  if (member < 0 || member >= kMaxSeats) return kNeutral;
  if (seats == 4) return member;
  return member == 0 ? 0 : member == 3 ? 1 : kNeutral;
}

template <class L>
ORBIT_FN void reset_planets(const L& lanes, Game& g, const Rules& rules) {
  Planets& p = g.planets;
  const Board& b = g.board;
  const int count = *b.planet_count, home = *b.home;
  lanes.for_each(kMaxPlanets, [&](int i) {
    const bool real = i < count;
    const double dx = b.planet_x[i] - kCentre, dy = b.planet_y[i] - kCentre, orbit = distance(dx, dy, 0, 0);
    const double radius = planet_radius(b.planet_production[i]);
    const bool orbits = real && orbit + radius < kRotationLimit;
    const int32_t seat = real ? home_seat(i - home, rules.seats) : kNeutral;
    p.id[i] = real ? i : -1;
    p.owner[i] = seat;
    p.ships[i] = seat == kNeutral ? b.planet_ships[i] : kHomeShips;
    p.production[i] = b.planet_production[i];
    p.kind[i] = orbits ? kOrbiting : kFixed;
    p.path[i] = 0;
    p.x[i] = b.planet_x[i];
    p.y[i] = b.planet_y[i];
    p.radius[i] = radius;
    p.arm_x[i] = orbits ? dx : 0;
    p.arm_y[i] = orbits ? dy : 0;
    p.orbit[i] = orbits ? orbit : 0;
    p.phase[i] = orbits ? atan2(dy, dx) : 0;
  });
}

// g.board must already point at row board_row. Fleet slots keep what they hold: only those below fleet_count are read, and
// padding needs finite numbers alone.
template <class L>
ORBIT_FN void reset_game(const L& lanes, Game& g, const Rules& rules, int32_t board_row) {
  reset_planets(lanes, g, rules);
  lanes.once([&] {
    *g.now = Scalars{};
    g.now->planet_count = *g.board.planet_count;
    g.now->board = board_row;
  });
  clear_history(lanes, g);
}

}  // namespace orbit

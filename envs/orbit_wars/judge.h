// When a game ends, and who has won.
#pragma once
#include "envs/common/lanes.h"
#include "envs/orbit_wars/state.h"

namespace orbit {

// Ships of a seat, on planets and in flight.
template <class L>
ORBIT_FN int32_t score_of(const L& lanes, const Game& g, int seat) {
  const Planets& p = g.planets;
  const Fleets& f = g.fleets;
  return lanes.sum(g.now->planet_count, [&](int i) { return p.owner[i] == seat ? p.ships[i] : 0; }) +
         lanes.sum(g.now->fleet_count, [&](int i) { return f.owner[i] == seat ? f.ships[i] : 0; });
}

// Seats with a planet (an empty one counts) or a fleet, as bits. Fleets are looked at only where they can matter.
template <class L>
ORBIT_FN uint32_t living_seats(const L& lanes, const Game& g, int seats) {
  const uint32_t all = (1u << seats) - 1;
  const uint32_t holders = lanes.bits_or(g.now->planet_count, [&](int i) { return (1u << (g.planets.owner[i] + 1)) >> 1; });
  if (holders == all) return holders;
  return holders | lanes.bits_or(g.now->fleet_count, [&](int i) { return (1u << (g.fleets.owner[i] + 1)) >> 1; });
}

// Rules 8: over at the step limit or when at most one seat lives. The best score wins, ties share, nobody wins with nothing.
template <class L>
ORBIT_FN void judge(const L& lanes, Game& g, const Rules& rules) {
  const uint32_t living = living_seats(lanes, g, rules.seats);
  const bool over = g.now->step >= rules.episode_steps - 2 || (living & (living - 1)) == 0;
  int32_t score[kMaxSeats] = {0, 0, 0, 0}, best = 0;
  if (over)
    for (int seat = 0; seat < kMaxSeats; ++seat) {
      score[seat] = score_of(lanes, g, seat);
      best = larger(best, score[seat]);
    }
  lanes.once([&] {
    g.now->step += 1;
    g.now->terminated = over;
    if (over)
      for (int seat = 0; seat < kMaxSeats; ++seat) g.now->reward[seat] = best > 0 && score[seat] == best ? 1 : -1;
  });
}

}  // namespace orbit

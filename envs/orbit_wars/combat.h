// What changes garrisons: production, and the fleets that arrive.
#pragma once
#include "envs/common/lanes.h"
#include "envs/orbit_wars/scratch.h"
#include "envs/orbit_wars/state.h"

namespace orbit {

// Rules 6.4: planets that belong to somebody build ships. After launches and before combat: what is built now defends.
template <class L>
ORBIT_FN void produce(const L& lanes, Game& g) {
  Planets& p = g.planets;
  lanes.for_each(g.now->planet_count, [&](int i) { p.ships[i] += p.owner[i] >= 0 ? p.production[i] : 0; });
}

// Rules 6.9: at each planet the largest force minus the second largest survives (a tie: nobody), reinforces or attacks the
// garrison, and takes the planet if that falls below zero. Planets that leave take their attackers with them.
template <class L>
ORBIT_FN void fight(const L& lanes, Game& g, const StepScratch& s, Mask leaving) {
  Planets& p = g.planets;
  const Mask attacked = lanes.mask(g.now->planet_count, [&](int i) {
    int ships = 0;
    for (int seat = 0; seat < kMaxSeats; ++seat) ships |= s.arrivals[seat][i];
    return ships != 0;
  });
  lanes.for_each_in(attacked & ~leaving, [&](int i) {
    int largest = 0, second = 0, winner = kNeutral;
    for (int seat = 0; seat < kMaxSeats; ++seat) {
      const int force = s.arrivals[seat][i];
      if (force > largest) {
        second = largest;
        largest = force;
        winner = seat;
      } else if (force > second) {
        second = force;
      }
    }
    const int survivors = largest - second;
    if (survivors <= 0) return;
    const int garrison = p.owner[i] == winner ? p.ships[i] + survivors : p.ships[i] - survivors;
    if (garrison < 0) p.owner[i] = winner;
    p.ships[i] = garrison < 0 ? -garrison : garrison;
  });
}

}  // namespace orbit

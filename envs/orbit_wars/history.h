// What the features remember of earlier turns: snapshots of the planets, and the launches that each seat submitted.
#pragma once
#include "envs/common/lanes.h"
#include "envs/orbit_wars/state.h"

namespace orbit {

// A new game remembers nothing.
template <class L>
ORBIT_FN void clear_history(const L& lanes, Game& g) {
  History& h = g.history;
  lanes.for_each(kSnapshots * kMaxPlanets, [&](int i) {
    h.snapshot_id[i] = -1;
    h.snapshot_owner[i] = kNeutral;
    h.snapshot_ships[i] = 0;
  });
  lanes.for_each(kLaunchTurns, [&](int i) { h.launch_step[i] = -1; });
  lanes.for_each(kLaunchTurns * kMaxSeats, [&](int i) { h.launch_count[i] = h.launch_ships[i] = 0; });
  lanes.once([&] { g.now->snapshot_count = 0; });
}

// Where the snapshot taken `back` turns before the present state begins, 0 to kSnapshots; as with launches, a turn has the slot
// of the turn kSnapshots ago, so that nothing is moved.
ORBIT_FN int snapshot_start(const Game& g, int back) { return int(uint32_t(g.now->step + kSnapshots - back) % kSnapshots) * kMaxPlanets; }

// The planets as they are now become the snapshot of this turn; the oldest is forgotten.
template <class L>
ORBIT_FN void push_snapshot(const L& lanes, Game& g) {
  const Planets& p = g.planets;
  History& h = g.history;
  const int np = g.now->planet_count, first = snapshot_start(g, 0);
  lanes.for_each(kMaxPlanets, [&](int i) {
    h.snapshot_id[first + i] = i < np ? p.id[i] : -1;
    h.snapshot_owner[first + i] = p.owner[i];
    h.snapshot_ships[first + i] = p.ships[i];
  });
  lanes.once([&] { g.now->snapshot_count = smaller(g.now->snapshot_count + 1, kSnapshots); });
}

// The moves submitted in this turn, refused ones included, take the slot of the turn kLaunchTurns ago. Their ships are
// summed in 64 bits and cut to 32, since a refused move may name any number.
template <class L>
ORBIT_FN void push_launches(const L& lanes, Game& g, const Rules& rules, const Moves& moves) {
  History& h = g.history;
  const int slot = g.now->step % kLaunchTurns;
  lanes.once([&] { h.launch_step[slot] = g.now->step; });
  for (int seat = 0; seat < kMaxSeats; ++seat) {
    const int count = seat < rules.seats ? moves.given(seat) : 0;
    const int64_t ships = lanes.sum(count, [&](int k) { return int64_t(moves.ships[seat * moves.stride + k]); });
    lanes.once([&] {
      h.launch_count[slot * kMaxSeats + seat] = count;
      h.launch_ships[slot * kMaxSeats + seat] = int32_t(clamp(ships, int64_t(INT32_MIN), int64_t(INT32_MAX)));
    });
  }
}

// Called with the moves of a turn before advance(), after the features of the state have been read.
template <class L>
ORBIT_FN void push_history(const L& lanes, Game& g, const Rules& rules, const Moves& moves) {
  push_snapshot(lanes, g);
  push_launches(lanes, g, rules, moves);
}

}  // namespace orbit

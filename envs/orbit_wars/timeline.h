// What becomes of one planet within the horizon if nobody launches anything more.
#pragma once
#include "envs/common/host_device.h"
#include "envs/orbit_wars/features_columns.h"

namespace orbit {

// Owners counted from neutral: index owner + 1. Fleets of a hand-made state may belong to nobody.
constexpr int kOwners = kMaxSeats + 1;

// Ships that reach one planet, by turn and owner. Only turns in the set have rows that mean anything.
struct Arrivals {
  uint32_t turns = 0;  // bit t: something arrives at turn t, 1..kHorizon
  int32_t ships[kHorizon + 1][kOwners];
};

ORBIT_FN void add_arrival(Arrivals& a, int turn, int32_t owner, int32_t ships) {
  int32_t* row = a.ships[turn];
  if (!(a.turns >> turn & 1))
    for (int o = 0; o < kOwners; ++o) row[o] = 0;
  a.turns |= 1u << turn;
  row[owner + 1] += ships;
}

// One turn's arrivals against each other: the largest party less the second largest survives, none on a tie.
struct Survivors {
  int32_t owner, ships;
};
ORBIT_FN Survivors survivors(const int32_t* row) {
  int32_t top = 0, second = 0, owner = kNeutral;
  for (int o = 0; o < kOwners; ++o) {
    const int32_t n = row[o];
    second = n > top ? top : larger(second, n);
    owner = n > top ? o - 1 : owner;
    top = larger(top, n);
  }
  return {owner, top - second};
}

struct Outlook {
  int32_t loss;             // ships lost within 3 turns
  int32_t low;              // smallest garrison at the turns when it is its present owner's
  int32_t surplus;          // garrison at the horizon if the owner is then the present one, else 0
  int32_t keep;             // smallest garrison now that never loses it; all of it if even that does not
  int32_t fall[kMaxSeats];  // first turn at which a seat loses it, 0 for never
};

// Between two arrivals a garrison only grows, so the turns of arrivals decide, and turns 3 and Hz, where it is read. While the
// planet is held, its garrison is the present one plus a sum that does not depend on it: keep is that sum's lowest point.
ORBIT_FN Outlook outlook(int32_t first_owner, int32_t ships, int32_t production, const Arrivals& a) {
  constexpr int kLossTurn = 3;
  Outlook out{0, ships, 0, 0, {}};
  int32_t owner = first_owner, garrison = ships, held = 0, need = 0, before = 0;
  for (uint32_t left = a.turns | 1u << kLossTurn | 1u << kHorizon; left; left &= left - 1) {
    const int turn = first_bit32(left);
    const int32_t gain = production * (turn - before);
    garrison += owner == kNeutral ? 0 : gain;
    held += gain;
    before = turn;
    if (a.turns >> turn & 1) {
      const Survivors in = survivors(a.ships[turn]);
      held += in.owner == first_owner ? in.ships : -in.ships;
      need = larger(need, -held);
      const int32_t holder = owner;
      if (in.owner == owner) {
        garrison += in.ships;
      } else {
        owner = in.ships > garrison ? in.owner : owner;
        garrison = in.ships > garrison ? in.ships - garrison : garrison - in.ships;
      }
      if (owner == first_owner) out.low = smaller(out.low, garrison);
      for (int seat = 0; seat < kMaxSeats; ++seat)
        if (seat == holder && owner != holder && out.fall[seat] == 0) out.fall[seat] = turn;
    }
    if (turn == kLossTurn) out.loss = owner == first_owner ? larger(0, ships - garrison) : ships;
  }
  out.surplus = owner == first_owner ? garrison : 0;
  out.keep = smaller(need, ships);
  return out;
}

}  // namespace orbit

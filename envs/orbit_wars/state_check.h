// Is a state one that the rules can go on from without leaving their arrays or their integers? Whole numbers alone are looked at:
// they index and are summed. Any coordinate is carried through by the rules; a planet or fleet at no number meets nothing.
#pragma once
#include "envs/common/lanes.h"
#include "envs/orbit_wars/state.h"

namespace orbit {

// What is out of range, as bits; the names are those of the tensors, for scalars those of the columns.
enum StateFault {
  kFaultBoard, kFaultStep, kFaultPlanetCount, kFaultFleetCount, kFaultNextFleetId, kFaultRefused, kFaultSnapshotCount, kFaultWaveMembers,
  kFaultWaveIndex, kFaultPlanetId, kFaultPlanetOwner, kFaultPlanetShips, kFaultPlanetProduction, kFaultPlanetKind, kFaultPlanetPath,
  kFaultFleetOwner, kFaultFleetShips, kFaultPathLength, kFaultWaveStep, kFaultWaveShips, kFaultHome, kStateFaults
};
constexpr const char* kStateFaultNames[] = {
    "board", "step", "planet_count", "fleet_count", "next_fleet_id", "refused", "snapshot_count", "wave_members",
    "wave_index", "planet_id", "planet_owner", "planet_ships", "planet_production", "planet_kind", "planet_path",
    "fleet_owner", "fleet_ships", "path_length", "wave_step", "wave_ships", "home"};
static_assert(sizeof(kStateFaultNames) / sizeof(char*) == kStateFaults, "a fault lacks its name");

// Bounds far above any game, so far below 2^31 that one turn's sums stay in 32 bits.
constexpr int32_t kLargestCount = 1 << 30;   // steps, ids, refusals; the ships of all fleets together
constexpr int32_t kLargestGarrison = 1 << 24;
constexpr int32_t kLargestProduction = 1 << 16;

ORBIT_FN uint32_t fault_if(bool bad, StateFault f) { return bad ? 1u << f : 0; }
ORBIT_FN bool outside(int32_t v, int32_t lowest, int32_t highest) {
  return uint32_t(v) - uint32_t(lowest) > uint32_t(highest) - uint32_t(lowest);
}

// Before anything is indexed by them. bank_rows: boards.
ORBIT_FN uint32_t scalar_faults(const Scalars& s, const Rules& rules, int64_t bank_rows) {
  return fault_if(s.board < 0 || s.board >= bank_rows, kFaultBoard) | fault_if(outside(s.step, 0, kLargestCount), kFaultStep) |
         fault_if(outside(s.planet_count, 0, kMaxPlanets), kFaultPlanetCount) |
         fault_if(outside(s.fleet_count, 0, rules.max_fleets), kFaultFleetCount) |
         fault_if(outside(s.next_fleet_id, 0, kLargestCount), kFaultNextFleetId) |
         fault_if(outside(s.refused, 0, kLargestCount), kFaultRefused) |
         fault_if(outside(s.snapshot_count, 0, kSnapshots), kFaultSnapshotCount);
}

// What the board says of the next turn: a wave that is due must find its path and four free slots.
template <class L>
ORBIT_FN uint32_t board_faults(const L& lanes, const Game& g) {
  const Board& b = g.board;
  const int waves = b.path_rows == kBoardWaves ? kBoardWaves : kMaxWaves;
  const uint32_t paths = lanes.bits_or(b.path_rows, [&](int q) { return fault_if(b.path_length[q] > kMaxPath, kFaultPathLength); });
  const uint32_t due = lanes.bits_or(kMaxWaves, [&](int w) { return b.wave_step[w] == g.now->step + 1 ? 1u << w : 0; });
  if (!due) return paths;
  const uint32_t ships = lanes.bits_or(
      kMaxWaves, [&](int w) { return fault_if((due >> w & 1) && outside(b.wave_ships[w], 0, kLargestGarrison), kFaultWaveShips); });
  const bool room = g.now->planet_count + kWaveMembers * count_bits32(due) <= kMaxPlanets;
  return paths | ships | fault_if(due >> waves != 0, kFaultWaveStep) | fault_if(!room, kFaultPlanetCount);
}

// Empty slots too, as far as predicates look at them (lanes.h).
template <class L>
ORBIT_FN uint32_t planet_faults(const L& lanes, const Game& g) {
  const Planets& p = g.planets;
  const int members = kWaveMembers * (g.board.path_rows == kBoardWaves ? kBoardWaves : kMaxWaves);
  return lanes.bits_or((g.now->planet_count + 15) & ~15, [&](int i) {
    return fault_if(outside(p.id[i], -kLargestCount, kLargestCount), kFaultPlanetId) |
           fault_if(outside(p.owner[i], kNeutral, kMaxSeats - 1), kFaultPlanetOwner) |
           fault_if(outside(p.ships[i], 0, kLargestGarrison), kFaultPlanetShips) |
           fault_if(outside(p.production[i], 0, kLargestProduction), kFaultPlanetProduction) |
           fault_if(outside(p.kind[i], kFixed, kInert), kFaultPlanetKind) |
           fault_if((p.kind[i] == kComet) & outside(p.path[i], 0, members - 1), kFaultPlanetPath);
  });
}

template <class L>
ORBIT_FN uint32_t fleet_faults(const L& lanes, const Game& g) {
  const Fleets& f = g.fleets;
  const int n = g.now->fleet_count;
  if (n == 0) return 0;
  const uint32_t each = lanes.bits_or(n, [&](int i) {
    return fault_if(outside(f.owner[i], kNeutral, kMaxSeats - 1), kFaultFleetOwner) | fault_if(f.ships[i] < 0, kFaultFleetShips);
  });
  const int64_t all = lanes.sum(n, [&](int i) { return int64_t(f.ships[i]); });
  return each | fault_if(all > kLargestCount, kFaultFleetShips);
}

template <class L>
ORBIT_FN uint32_t wave_faults(const L& lanes, const Game& g) {
  const bool explicit_rows = g.board.path_rows != kBoardWaves;
  return lanes.bits_or(kMaxWaves, [&](int w) {
    const int32_t all = explicit_rows || w < kBoardWaves ? (1 << kWaveMembers) - 1 : 0;
    return fault_if(outside(g.now->wave_members[w], 0, all), kFaultWaveMembers) |
           fault_if(outside(g.now->wave_index[w], -1, kLargestCount), kFaultWaveIndex);
  });
}

// Of a state whose scalar_faults are none and whose board is bound.
template <class L>
ORBIT_FN uint32_t game_faults(const L& lanes, const Game& g) {
  return planet_faults(lanes, g) | fleet_faults(lanes, g) | wave_faults(lanes, g) | board_faults(lanes, g);
}

// The sign bit is set if v is outside; it may be at the limits themselves. (Of a sum of 32 bits that cannot wrap back.)
ORBIT_FN uint32_t sign_if_outside(int32_t v, int32_t lowest, int32_t highest) {
  return (uint32_t(v) - uint32_t(lowest)) | (uint32_t(highest) - uint32_t(v));
}

// False if game_faults are none; asked in every turn, so it only collects signs. It may be true of a good state:
// in a turn that brings a wave, with a fleet larger than any game's, or if a slot is damaged that nobody looks at.
template <class L>
ORBIT_FN bool may_have_faults(const L& lanes, const Game& g) {
  const Planets& p = g.planets;
  const Fleets& f = g.fleets;
  const Board& b = g.board;
  const int32_t waves = b.path_rows == kBoardWaves ? kBoardWaves : kMaxWaves, next = g.now->step + 1;
  const auto of_planet = [&](int i) ORBIT_FN_BODY {
    const int32_t path = p.kind[i] == kComet ? p.path[i] : 0;
    static_assert(kLargestCount == 1 << 30);  // so one sum sees both limits of the ids
    return (uint32_t(p.id[i]) + uint32_t(kLargestCount)) | sign_if_outside(p.owner[i], kNeutral, kMaxSeats - 1) |
           sign_if_outside(p.ships[i], 0, kLargestGarrison) | sign_if_outside(p.production[i], 0, kLargestProduction) |
           sign_if_outside(p.kind[i], kFixed, kInert) | sign_if_outside(path, 0, kWaveMembers * waves - 1);
  };
  const int32_t largest_fleet = kLargestCount / larger(g.now->fleet_count, 1);
  const auto of_fleet = [&](int i) ORBIT_FN_BODY {
    return sign_if_outside(f.owner[i], kNeutral, kMaxSeats - 1) | sign_if_outside(f.ships[i], 0, largest_fleet);
  };
  const auto of_wave = [&](int w) ORBIT_FN_BODY {
    return sign_if_outside(g.now->wave_members[w], 0, w < waves ? (1 << kWaveMembers) - 1 : 0) |
           sign_if_outside(g.now->wave_index[w], -1, kLargestCount) | (b.wave_step[w] == next ? 1u << 31 : 0);
  };
  const uint32_t paths = lanes.bits_or(b.path_rows, [&](int q) { return uint32_t(kMaxPath) - uint32_t(b.path_length[q]); });
  return (lanes.bits_or_padded(g.now->planet_count, of_planet) | lanes.bits_or_padded(g.now->fleet_count, of_fleet) |
          lanes.bits_or(kMaxWaves, of_wave) | paths) >> 31;
}

// Of a row of the bank from which a game is to start.
ORBIT_FN uint32_t start_faults(const Board& b) {
  return fault_if(outside(*b.planet_count, 0, kMaxPlanets), kFaultPlanetCount) | fault_if(outside(*b.home, 0, kMaxPlanets), kFaultHome);
}

}  // namespace orbit

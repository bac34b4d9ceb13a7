// Comets come in waves of four, fly along paths known in advance, and leave with all they hold.
#pragma once
#include "envs/common/lanes.h"
#include "envs/orbit_wars/state.h"

namespace orbit {

template <class L>
ORBIT_FN void remove_planets(const L& lanes, Game& g, Mask gone) {
  const int count = g.now->planet_count;
  const auto stays = [&](int i) { return !has(gone, i); };
  const int left = with_arrays(g.planets, [&](auto*... arrays) { return lanes.compact(count, stays, arrays...); });
  lanes.once([&] { g.now->planet_count = left; });
}

// Waves with a member still flying, as bits.
ORBIT_FN uint32_t live_waves(const Game& g) {
  uint32_t live = 0;
  for (int w = 0; w < kMaxWaves; ++w) live |= g.now->wave_members[w] ? 1u << w : 0;
  return live;
}

// Whether a live wave has come to the end of a path: hardly ever, and asked thrice a turn.
ORBIT_FN bool any_path_ended(const Game& g) {
  const int rows = explicit_paths(g.board) ? kWaveMembers : 1;
  bool ended = false;
  for_bits(live_waves(g), [&](int w) {
    for (int r = w * rows; r < smaller((w + 1) * rows, g.board.path_rows); ++r) ended |= g.now->wave_index[w] >= g.board.path_length[r];
  });
  return ended;
}

// Comets whose path has ended.
template <class L>
ORBIT_FN Mask finished_comets(const L& lanes, const Game& g) {
  const Planets& p = g.planets;
  if (!any_path_ended(g)) return 0;
  return lanes.mask(g.now->planet_count, [&](int i) {
    const int q = p.kind[i] == kComet ? p.path[i] : 0;
    return (p.kind[i] == kComet) & (g.now->wave_index[q >> 2] >= path_length(g.board, q));
  });
}

// candidates: bits wave * 4 + member; those of them that still belong to their wave and whose path has ended leave it.
template <class L>
ORBIT_FN void drop_finished_members(const L& lanes, Game& g, uint32_t candidates) {
  lanes.for_each(kMaxWaves, [&](int w) {
    for (int m = 0; m < kWaveMembers; ++m) {
      const int q = w * kWaveMembers + m;
      const bool may_leave = candidates >> q & uint32_t(g.now->wave_members[w]) >> m & 1;
      if (may_leave && g.now->wave_index[w] >= path_length(g.board, q)) g.now->wave_members[w] &= ~(1 << m);
    }
  });
}

// Rules 6.1. Only a hand-made state starts a turn with a finished comet; such a state may also name members without a planet.
template <class L>
ORBIT_FN void clear_finished_comets(const L& lanes, Game& g) {
  if (!any_path_ended(g)) return;
  const Mask gone = finished_comets(lanes, g);
  drop_finished_members(lanes, g, ~0u);
  if (gone) remove_planets(lanes, g, gone);
}

// Rules 6.2 and 7: four comets parked off the board, numbered above the largest living id. They are placed in this same turn.
template <class L>
ORBIT_FN void spawn_wave(const L& lanes, Game& g) {
  for (int w = 0; w < kMaxWaves; ++w) {
    if (g.board.wave_step[w] != g.now->step + 1) continue;
    Planets& p = g.planets;
    const int n = g.now->planet_count;
    const int next_id = 1 - int(lanes.argmin(n, [&](int i) { return -double(p.id[i]); }).key);
    lanes.for_each(kWaveMembers, [&](int m) {
      const int i = n + m;
      p.id[i] = next_id + m;
      p.owner[i] = kNeutral;
      p.ships[i] = g.board.wave_ships[w];
      p.production[i] = kCometProduction;
      p.kind[i] = kComet;
      p.path[i] = w * kWaveMembers + m;
      p.radius[i] = kCometRadius;
      p.x[i] = p.y[i] = kCometParking;
      p.arm_x[i] = p.arm_y[i] = p.orbit[i] = p.phase[i] = 0;
    });
    lanes.once([&] {
      g.now->planet_count = n + kWaveMembers;
      g.now->wave_members[w] = (1 << kWaveMembers) - 1;
      g.now->wave_index[w] = -1;
    });
  }
}

// Rules 6.8: comets past their last point leave, with garrison and with every fleet that hit them.
template <class L>
ORBIT_FN void remove_finished_comets(const L& lanes, Game& g, Mask leaving) {
  uint32_t members = 0;
  for_bits(leaving, [&](int i) { members |= 1u << g.planets.path[i]; });
  drop_finished_members(lanes, g, members);
  remove_planets(lanes, g, leaving);
}

}  // namespace orbit

// From sampled actions to orders: one seat's target and ship count per planet slot become moves, in slot order.
#pragma once
#include "envs/orbit_wars/decode_strict.h"
#include "envs/orbit_wars/move_row.h"

namespace orbit {

struct DecodeOptions {
  bool strict = false;               // decode_strict.h; always aims by intercept, and never at the source itself
  bool bearing_aim = false;          // straight at the target's present place instead of intercept
  bool self_target_bearing = false;  // a row aimed at its own planet launches at angle 0 instead of not at all
};

// The plain decoder: what each source launches depends on its own row alone.
template <class L>
ORBIT_FN void decode_plain(const L& lanes, const Game& g, const ActionRows& a, const DecodeOptions& options, DecodeScratch& s) {
  const Planets& p = g.planets;
  lanes.for_each(a.slots, [&](int i) {
    const int t = a.target_of(g, i);
    s.ships[i] = 0;
    if (t < 0 || (t == i && !options.self_target_bearing)) return;
    const int32_t ships = smaller(larger(a.ships_of(i, p.ships[i]), 1), p.ships[i]);
    if (t == i || options.bearing_aim) {
      s.angle[i] = atan2(p.y[t] - p.y[i], p.x[t] - p.x[i]);
    } else {
      const Aim aim = intercept(g, i, t, ships);
      if (!aim.ok) return;
      s.angle[i] = aim.angle;
    }
    s.ships[i] = ships;
  });
}

// target (kFeatureSlots): planet slot, or kNoOpTarget; x (kFeatureSlots): log1p of the ships. Rows of planets that are not the
// seat's own are not read.
template <class L>
ORBIT_FN void decode(const L& lanes, const Game& g, int seat, const int32_t* target, const float* x,
                     const DecodeOptions& options, DecodeScratch& s, MoveRow out) {
  const ActionRows a{target, x, seat, smaller(g.now->planet_count, kFeatureSlots)};
  if (options.strict) decode_strict(lanes, g, a, s);
  else decode_plain(lanes, g, a, options, s);
  const int count = lanes.for_each_ranked(a.slots, [&](int i) { return s.ships[i] > 0; }, [&](int i, int rank) {
    if (rank >= out.capacity) return;
    out.from[rank] = g.planets.id[i];
    out.ships[rank] = s.ships[i];
    out.angle[rank] = s.angle[i];
  });
  lanes.once([&] { *out.count = smaller(count, out.capacity); });
}

}  // namespace orbit

// Scripted opponents: one seat's orders decided from the state. random and starter are the official package's agents. Rows need
// room for one order a planet (kMaxPlanets).
#pragma once
#include "envs/common/lanes.h"
#include "envs/common/rng.h"
#include "envs/orbit_wars/geometry.h"
#include "envs/orbit_wars/move_row.h"
#include "envs/orbit_wars/state.h"

namespace orbit {

constexpr int32_t kMinSent = 20;  // both agents send half of a garrison, or nothing where that is fewer ships

template <class L>
ORBIT_FN void noop_moves(const L& lanes, const Game&, int, const MoveRow& out) {
  lanes.once([&] { *out.count = 0; });
}

// Half of each large garrison, with the angle given by angle_from(slot), in the order of the planets.
template <class L, class F>
ORBIT_FN void send_halves(const L& lanes, const Game& g, int seat, const MoveRow& out, F angle_from) {
  const Planets& p = g.planets;
  const auto sends = [&](int i) { return (p.owner[i] == seat) & (p.ships[i] / 2 >= kMinSent); };
  const int count = lanes.for_each_ranked(g.now->planet_count, sends, [&](int i, int rank) {
    out.from[rank] = p.id[i];
    out.ships[rank] = p.ships[i] / 2;
    out.angle[rank] = angle_from(i);
  });
  lanes.once([&] { *out.count = count; });
}

// What a draw of the random opponent depends on, besides the planet's slot.
struct OpponentDraws {
  uint64_t seed;
  uint32_t environment;
  uint32_t turn;  // counts on over the episodes of an environment, or each would see the same angles
};

template <class L>
ORBIT_FN void random_moves(const L& lanes, const Game& g, int seat, const MoveRow& out, const OpponentDraws& draws) {
  constexpr double kFullTurn = 2 * 3.141592653589793;
  send_halves(lanes, g, seat, out, [&](int i) {
    const Random4 r = draw4(draws.seed, Stream::kOpponent, draws.environment, draws.turn, uint32_t(i));
    return kFullTurn * unit_double(r.v[0], r.v[1]);
  });
}

// Would the planet stay where it is, judged by its place of this moment? Comets count as they come, parked ones too.
ORBIT_FN bool stands_still(const Planets& p, int i) {
  const double dx = p.x[i] - kCentre, dy = p.y[i] - kCentre, gap = sqrt(dx * dx + dy * dy) + p.radius[i] - kRotationLimit;
  if (fabs(gap) > 1e-9) return gap > 0;
  return distance(p.x[i], p.y[i], kCentre, kCentre) + p.radius[i] >= kRotationLimit;
}

// The first of the nearest targets of planet i. Squares decide, and where rounding could the official distance does.
ORBIT_FN int nearest_target(const Planets& p, int i, Mask targets) {
  const auto squared = [&](int t) {
    const double dx = p.x[i] - p.x[t], dy = p.y[i] - p.y[t];
    return dx * dx + dy * dy;
  };
  double least = squared(first_bit(targets));
  for_bits(targets, [&](int t) { least = smaller(least, squared(t)); });
  Mask close = 0;
  for_bits(targets, [&](int t) { close |= squared(t) <= least * (1 + 1e-12) ? Mask(1) << t : 0; });
  int nearest = first_bit(close);
  if (count_bits(close) == 1) return nearest;
  const auto official = [&](int t) { return distance(p.x[i], p.y[i], p.x[t], p.y[t]); };
  for_bits(close, [&](int t) { nearest = official(t) < official(nearest) ? t : nearest; });
  return nearest;
}

// Each large garrison attacks the nearest planet that stands still and is not its owner's, with half of its ships.
template <class L>
ORBIT_FN void starter_moves(const L& lanes, const Game& g, int seat, const MoveRow& out) {
  const Planets& p = g.planets;
  const Mask targets = lanes.mask(g.now->planet_count, [&](int i) { return (p.owner[i] != seat) & stands_still(p, i); });
  if (!targets) return noop_moves(lanes, g, seat, out);
  send_halves(lanes, g, seat, out, [&](int i) {
    const int t = nearest_target(p, i, targets);
    return atan2(p.y[t] - p.y[i], p.x[t] - p.x[i]);
  });
}

}  // namespace orbit

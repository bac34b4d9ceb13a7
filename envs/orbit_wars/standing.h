// What a seat holds on planets, and the shaping rewards made of it (keys of the config's section training).
#pragma once
#include "envs/orbit_wars/state.h"

namespace orbit {

// Fleets in flight do not count; "enemy" is every other player, neutral planets count for nobody.
struct Standing {
  double own_ships, enemy_ships, own_planets, enemy_planets, own_production, enemy_production;
};
constexpr int kStandingColumns = 6;
static_assert(sizeof(Standing) == kStandingColumns * sizeof(double), "Standing is one row of a float64 tensor");

template <class L>
ORBIT_FN Standing standing_of(const L& lanes, const Game& g, int seat) {
  const Planets& p = g.planets;
  const int n = g.now->planet_count;
  const auto total = [&](bool own, auto value) {
    return double(lanes.sum(n, [&](int i) -> int64_t {
      const bool counts = own ? p.owner[i] == seat : (p.owner[i] != seat) & (p.owner[i] != kNeutral);
      return counts ? int64_t(value(i)) : 0;
    }));
  };
  const auto ships = [&](int i) { return p.ships[i]; };
  const auto one = [](int) { return 1; };
  const auto production = [&](int i) { return p.production[i]; };
  return {total(true, ships), total(false, ships), total(true, one), total(false, one), total(true, production), total(false, production)};
}

enum class ShapingMode : int32_t { kShips, kPlanets, kCombined, kRatio, kRatioProd };

struct Shaping {
  ShapingMode mode;
  double coef_ship, coef_planet;              // weights of the differences of the two potentials
  double dense_coef_ship, dense_coef_planet;  // weights of the present shares
  double clip;                                // bound of the sum of both, 0 for none
  double time_penalty, time_bonus;            // per turn; and for an early win, times the share of the horizon left
  int32_t horizon;
};

ORBIT_FN double ship_potential(const Shaping& s, const Standing& z) {
  switch (s.mode) {
    case ShapingMode::kShips:
    case ShapingMode::kCombined: return z.own_ships - z.enemy_ships;
    case ShapingMode::kRatio:
    case ShapingMode::kRatioProd: return z.own_ships / (z.own_ships + z.enemy_ships + 1e-6);
    default: return 0;
  }
}
ORBIT_FN double planet_potential(const Shaping& s, const Standing& z) {
  switch (s.mode) {
    case ShapingMode::kPlanets:
    case ShapingMode::kCombined: return z.own_planets - z.enemy_planets;
    case ShapingMode::kRatio: return z.own_planets / (z.own_planets + z.enemy_planets + 1e-6);
    case ShapingMode::kRatioProd: return z.own_production / (z.own_production + z.enemy_production + 1e-6);
    default: return 0;
  }
}

// Shaping of one turn, without the terminal reward.
ORBIT_FN double shaping_reward(const Shaping& s, const Standing& before, const Standing& after) {
  double r = s.coef_ship * (ship_potential(s, after) - ship_potential(s, before)) +
             s.coef_planet * (planet_potential(s, after) - planet_potential(s, before));
  r += s.dense_coef_ship * (after.own_ships - after.enemy_ships) / (after.own_ships + after.enemy_ships + 1) +
       s.dense_coef_planet * (after.own_planets - after.enemy_planets) / (after.own_planets + after.enemy_planets + 1);
  if (s.clip > 0) r = clamp(r, -s.clip, s.clip);
  return r - s.time_penalty;
}

// Sign of (own result - best other result) at the end: +1 won, 0 shared, -1 lost.
ORBIT_FN int32_t result_sign(const Scalars& now, int seats, int seat) {
  int best = -1;
  for (int o = 0; o < seats; ++o)
    if (o != seat && now.reward[o] > best) best = now.reward[o];
  const int own = now.reward[seat];
  return own > best ? 1 : own < best ? -1 : 0;
}

// Terminal reward: the sign of the result, and the bonus for a win before the horizon.
ORBIT_FN double terminal_reward(const Shaping& s, const Scalars& now, int seats, int seat) {
  const int sign = result_sign(now, seats, seat);
  return sign + (sign > 0 ? s.time_bonus * (1.0 - double(now.step) / s.horizon) : 0.0);
}

}  // namespace orbit

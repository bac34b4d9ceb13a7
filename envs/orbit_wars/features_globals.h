// The global columns.
#pragma once
#include "envs/orbit_wars/features_scratch.h"

namespace orbit {

// What a party holds on planets. Ships in flight count nowhere here.
struct Holdings {
  double ships = 0, production = 0, planets = 0;
};
template <class L, class P>
ORBIT_FN Holdings holdings(const L& lanes, const Game& g, P party) {
  const Planets& p = g.planets;
  const int n = feature_planets(g);
  return {double(lanes.sum(n, [&](int i) { return party(p.owner[i]) ? p.ships[i] : 0; })),
          double(lanes.sum(n, [&](int i) { return party(p.owner[i]) ? p.production[i] : 0; })),
          double(lanes.sum(n, [&](int i) { return party(p.owner[i]) ? 1 : 0; }))};
}

// Comet waves of an ordinary game, whatever the board holds: evenly spaced.
ORBIT_FN void fill_wave_columns(int step, float* out) {
  bool active = false;
  double next = 1.0;
  for (int w = kBoardWaves - 1; w >= 0; --w) {
    const int since = step - (kWaveSteps[0] + w * (kWaveSteps[1] - kWaveSteps[0]));
    active |= since >= 0 && since < kWaveLife;
    if (since <= 0) next = smaller(1.0, -since / 100.0);
  }
  out[kGlobWaveActive] = active;
  out[kGlobNextWave] = active ? 0.0f : float(next);
}

// Launches of one party in the last turns; empty slots of the ring count none.
struct Launches {
  double count = 0, ships = 0;
};
template <class P>
ORBIT_FN Launches recent_launches(const Game& g, P party) {
  const History& h = g.history;
  Launches all;
  for (int k = 0; k < kLaunchTurns; ++k)
    for (int seat = 0; seat < kMaxSeats; ++seat) {
      const bool counts = party(seat) & (h.launch_step[k] >= g.now->step - kLaunchMemory);
      all.count += counts ? h.launch_count[k * kMaxSeats + seat] : 0;
      all.ships += counts ? h.launch_ships[k * kMaxSeats + seat] : 0;
    }
  return all;
}

ORBIT_FN void fill_launch_columns(const Game& g, int seat, const FeatureOptions& options, float* out) {
  const bool full = options.history == HistoryMode::kFull, see = options.see_enemy_launches;
  const Launches own = recent_launches(g, [=](int o) { return full & (o == seat); });
  const Launches enemy = recent_launches(g, [=](int o) { return full & see & (o != seat); });
  out[kGlobEnemyLaunches] = float(smaller(1.0, enemy.count / 10.0));
  out[kGlobEnemyLaunchShips] = float(log_ships_sixth(enemy.ships));
  out[kGlobOwnLaunches] = float(smaller(1.0, own.count / 10.0));
  out[kGlobOwnLaunchShips] = float(log_ships_sixth(own.ships));
}

template <class L>
ORBIT_FN void fill_globals(const L& lanes, const Game& g, int seat, const FeatureOptions& options, float* out) {
  const Holdings own = holdings(lanes, g, [=](int o) { return o == seat; });
  const Holdings enemy = holdings(lanes, g, [=](int o) { return (o != seat) & (o != kNeutral); });
  const Holdings neutral = holdings(lanes, g, [=](int o) { return o == kNeutral; });
  lanes.once([&] {
    const int step = g.now->step;
    const double slots = larger(1, feature_planets(g)), ships = own.ships + enemy.ships + neutral.ships;
    const double production = own.production + enemy.production;
    const double log_own = log_ships(own.ships), log_enemy = log_ships(enemy.ships);
    out[kGlobStep] = float(step / 500.0);
    out[kGlobOmega] = float(*g.board.omega * 10.0);
    out[kGlobOwnShips] = float(log_own);
    out[kGlobEnemyShips] = float(log_enemy);
    out[kGlobNeutralShips] = float(log_ships(neutral.ships));
    out[kGlobProductionBalance] = float(log_ships(own.production) - log_ships(enemy.production));
    out[kGlobOwnPlanets] = float(own.planets / slots);
    out[kGlobEnemyPlanets] = float(enemy.planets / slots);
    fill_wave_columns(step, out);
    out[kGlobMiddle] = step >= 100 && step < 300;
    out[kGlobLate] = step >= 300;
    out[kGlobOwnShipShare] = ships > 0 ? float(own.ships / ships) : 0.0f;
    out[kGlobEnemyShipShare] = ships > 0 ? float(enemy.ships / ships) : 0.0f;
    out[kGlobProductionShare] = production > 0 ? float(own.production / production) : 0.0f;
    out[kGlobShipBalance] = float(clamp(log_own - log_enemy, -3.0, 3.0) / 3.0);
    fill_launch_columns(g, seat, options, out);
  });
}

}  // namespace orbit

// Pairs: planets near planets, fleets near and approaching planets. Nearly all of the features' arithmetic.
#pragma once
#include "envs/orbit_wars/features_scratch.h"
#include "envs/orbit_wars/ray.h"

namespace orbit {

template <class L>
ORBIT_FN void measure_distances(const L& lanes, const Game& g, FeatureScratch& s) {
  const Planets& p = g.planets;
  const int n = feature_planets(g);
  for (int o = 0; o < kOwners; ++o)
    lanes.for_each(kMaxPlanets, [&](int i) {
      s.near_squared[o][i] = kDiagonalSquared;
      s.support[o][i] = s.threat[o][i] = s.incoming[o][i] = 0;
      s.eta[o][i] = kHorizon + 1;
    });
  for (int q = 0; q < n; ++q) {
    const double x = p.x[q], y = p.y[q], ships = p.ships[q];
    const int o = p.owner[q] + 1;
    double *near = s.near_squared[o], *support = s.support[o], *threat = s.threat[o];
    const auto squared = [&](int i) {  // a planet is no neighbour of its own
      const double dx = p.x[i] - x, dy = p.y[i] - y;
      return i == q ? kDiagonalSquared : dx * dx + dy * dy;
    };
    if (p.owner[q] == kNeutral) {
      lanes.for_each(n, [&](int i) { near[i] = smaller(near[i], squared(i)); });
      continue;
    }
    lanes.for_each(n, [&](int i) {
      const double d2 = squared(i);
      near[i] = smaller(near[i], d2);
      support[i] += d2 <= kSupportRange * kSupportRange ? ships : 0;
      threat[i] += d2 <= kThreatRange * kThreatRange ? ships : 0;
    });
  }
}

// Speed of the features' motion model.
ORBIT_FN double approach_speed(int32_t ships) { return larger(0.5, 2.0 - 0.05 * sqrt(larger(1.0, double(ships)))); }

// Turns until fleet j touches planet i at its present place, flying straight on at that speed; above kHorizon for never.
ORBIT_FN double approach(const Game& g, int j, int i) {
  const double way = ray_distance(g, j, i);
  return way < 0 ? 2 * kHorizon : way / approach_speed(g.fleets.ships[j]);
}

// A fleet may approach several planets, and counts for each.
template <class L>
ORBIT_FN void find_approaches(const L& lanes, const Game& g, FeatureScratch& s) {
  const Fleets& f = g.fleets;
  constexpr double kThreat2 = kThreatRange * kThreatRange;
  lanes.for_each(kFeatureSlots, [&](int i) { s.arrivals[i].turns = 0; });
  lanes.for_each_match(
      feature_planets(g), g.now->fleet_count,
      [&](int i) {
        const RayTest meets(g, i);
        return [=](int j) { return meets(j) | (meets.squared_distance(j) <= kThreat2); };
      },
      [&](int i, int j) {
        const int32_t owner = f.owner[j], ships = f.ships[j];
        if (RayTest(g, i).squared_distance(j) <= kThreat2) s.threat[owner + 1][i] += ships;
        const double eta = approach(g, j, i);
        if (!(eta <= kHorizon)) return;
        s.incoming[owner + 1][i] += ships;
        s.eta[owner + 1][i] = smaller(s.eta[owner + 1][i], eta);
        if (ships > 0) add_arrival(s.arrivals[i], larger(1, int(ceil(eta))), owner, ships);
      });
}

}  // namespace orbit

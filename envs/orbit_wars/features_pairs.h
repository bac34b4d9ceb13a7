// Pairs: planets near planets, fleets near and approaching planets. Nearly all of the features' arithmetic.
#pragma once
#include "envs/orbit_wars/features_scratch.h"
#include "envs/orbit_wars/ray.h"

namespace orbit {

// From every planet to those of one owner, whose slots are the set.
template <class L>
ORBIT_FN void measure_distances_to(const L& lanes, const Game& g, int32_t owner, Mask set, FeatureScratch& s) {
  const Planets& p = g.planets;
  const int n = feature_planets(g);
  double *near2 = s.near_squared, *support = s.support[owner + 1], *threat = s.threat[owner + 1];
  lanes.for_each_padded(n, [&](int i) { near2[i] = kDiagonalSquared; });
  for (Mask left = set; left; left &= left - 1) {
    const int q = first_bit(left);
    const double x = p.x[q], y = p.y[q], ships = p.ships[q];
    const auto squared = [&](int i) {  // a planet is no neighbour of its own; as a product, without a branch
      const double dx = p.x[i] - x, dy = p.y[i] - y;
      return dx * dx + dy * dy + kDiagonalSquared * (i == q);
    };
    if (owner == kNeutral) {
      lanes.for_each_padded(n, [&](int i) { near2[i] = smaller(near2[i], squared(i)); });
    } else {
      lanes.for_each_padded(n, [&](int i) {
        const double d2 = squared(i);
        near2[i] = smaller(near2[i], d2);
        support[i] += d2 <= kSupportRange * kSupportRange ? ships : 0;
        threat[i] += d2 <= kThreatRange * kThreatRange ? ships : 0;
      });
    }
  }
  lanes.for_each_padded(n, [&](int i) { s.near[owner + 1][i] = float(sqrt(near2[i] / kDiagonalSquared)); });
}

template <class L>
ORBIT_FN void measure_distances(const L& lanes, const Game& g, FeatureScratch& s) {
  const int n = feature_planets(g);
  for (int32_t owner = kNeutral; owner < kMaxSeats; ++owner) {
    const int o = owner + 1;
    lanes.for_each_padded(n, [&](int i) {
      s.support[o][i] = s.threat[o][i] = s.incoming[o][i] = 0;
      s.near[o][i] = s.eta[o][i] = 1.0f;
    });
    const Mask own = lanes.mask(n, [&](int i) { return g.planets.owner[i] == owner; });
    if (own) measure_distances_to(lanes, g, owner, own, s);
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
        const RayTest ray(g, i);
        return [=](int j) { return ray.may_meet(j) | ray.may_be_within(kThreatRange, j); };
      },
      [&](int i, int j) {
        const int32_t owner = f.owner[j], ships = f.ships[j];
        const double dx = g.planets.x[i] - f.x[j], dy = g.planets.y[i] - f.y[j];
        if (dx * dx + dy * dy <= kThreat2) s.threat[owner + 1][i] += ships;
        const double eta = approach(g, j, i);
        if (!(eta <= kHorizon)) return;
        s.incoming[owner + 1][i] += ships;
        s.eta[owner + 1][i] = smaller(s.eta[owner + 1][i], float(eta / (kHorizon + 1)));
        if (ships > 0) add_arrival(s.arrivals[i], larger(1, int(ceil(eta))), owner, ships);
      });
}

}  // namespace orbit

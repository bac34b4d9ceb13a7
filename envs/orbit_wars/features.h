// Features v1: what policy v1 reads of a board, per seat. Computed in double precision, rounded to float32 at the end. Two
// collective steps: prepare() does once a state what no seat changes (pairs of planets and fleets, time lines, history),
// observe() writes one seat's rows from it.
#pragma once
#include "envs/orbit_wars/features_globals.h"
#include "envs/orbit_wars/features_pairs.h"
#include "envs/orbit_wars/features_planets.h"

namespace orbit {

// One seat's input of the policy. Empty planet slots are 0 everywhere.
struct ObservationRow {
  float* planets;  // (kFeatureSlots, kPlanetFeatures)
  float* globals;  // (kGlobalFeatures)
  uint8_t* valid;  // (kFeatureSlots) a planet is there
  uint8_t* mine;   // (kFeatureSlots) it is the seat's own
};

// The scratch holds one state at a time: prepare it, observe every seat, reuse it.
template <class L>
ORBIT_FN void prepare(const L& lanes, const Game& g, const FeatureOptions& options, FeatureScratch& s) {
  measure_distances(lanes, g, s);
  find_approaches(lanes, g, s);
  look_ahead(lanes, g, s);
  fill_shared_columns(lanes, g, options, s);
}

template <class L>
ORBIT_FN void observe(const L& lanes, const Game& g, int seat, const FeatureOptions& options, const FeatureScratch& s,
                      ObservationRow out) {
  const int n = feature_planets(g);
  lanes.for_each(n * kPlanetFeatures, [&](int k) { out.planets[k] = s.shared[k]; });
  lanes.for_each((kFeatureSlots - n) * kPlanetFeatures, [&](int k) { out.planets[n * kPlanetFeatures + k] = 0.0f; });
  lanes.for_each(n, [&](int i) { fill_seat_columns(g, seat, s, i, out.planets + i * kPlanetFeatures); });
  lanes.for_each(kFeatureSlots, [&](int i) {
    out.valid[i] = i < n;
    out.mine[i] = (i < n) & (g.planets.owner[i] == seat);
  });
  fill_globals(lanes, g, seat, options, out.globals);
}

}  // namespace orbit

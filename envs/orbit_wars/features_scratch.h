// What prepare() leaves for observe(): one state's figures that no seat changes, kept by owner where a seat asks for "own" or
// "enemy" of them.
#pragma once
#include "envs/common/lanes.h"
#include "envs/orbit_wars/state.h"
#include "envs/orbit_wars/timeline.h"

namespace orbit {

// What of the history reaches the features: full, snapshots alone (launch counts read 0), or nothing. Old weights were trained
// in all three ways, and are judged fairly only with theirs.
enum class HistoryMode : int32_t { kFull, kSnapshots, kNone };

struct FeatureOptions {
  HistoryMode history = HistoryMode::kFull;
  bool see_enemy_launches = false;  // a player does not see them; fixtures with made-up histories do
};

// (kOwners, kMaxPlanets): row owner + 1. Sums are of whole numbers, so that their order does not matter.
template <class T>
using ByOwner = T[kOwners][kMaxPlanets];

struct FeatureScratch {
  ByOwner<double> support;   // ships of the owner's other planets within kSupportRange
  ByOwner<double> threat;    // ships of its planets and fleets within kThreatRange
  ByOwner<double> incoming;  // ships of its fleets that approach
  // As in the columns, whose least is that of the smallest distance or time: dividing, sqrt and rounding keep the order.
  ByOwner<float> near;       // distance to the nearest other planet of the owner / D, at most 1
  ByOwner<float> eta;        // turns until the first of its fleets that approach / (Hz + 1), 1 for none
  double near_squared[kMaxPlanets];  // of one owner at a time
  Arrivals arrivals[kFeatureSlots];
  int32_t fall[kMaxSeats][kMaxPlanets];  // turn at which a seat loses the planet, 0 for never
  float low[kMaxPlanets];                // L; this and the next belong to the present owner's view
  float keep[kMaxPlanets];
  float shared[kFeatureSlots * kPlanetFeatures];  // the rows of all seats, without the columns that depend on the seat
};

// A planet past the last slot does not exist for any column.
ORBIT_FN int feature_planets(const Game& g) { return smaller(g.now->planet_count, kFeatureSlots); }

// log1p of a whole number of ships, most often of none.
ORBIT_FN double log_ships(double n) {
  return n > 0 ? tabulated(n, [](double whole) { return log1p(whole); }) : 0.0;
}
ORBIT_FN double log_ships_sixth(double n) {
  return n > 0 ? tabulated(n, [](double whole) { return log1p(whole) / 6.0; }) : 0.0;
}

}  // namespace orbit

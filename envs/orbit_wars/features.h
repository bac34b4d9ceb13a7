// Features v1: what policy v1 reads of a board, per seat. Computed in double
// precision, rounded to float32 at the end. Two collective steps: prepare() does once a state what no seat changes (pairs of
// planets and fleets, time lines, history), observe() writes one seat's rows from it.
#pragma once
#include "envs/common/lanes.h"
#include "envs/orbit_wars/state.h"

namespace orbit {

// One seat's input of the policy. Empty planet slots are 0 everywhere.
struct ObservationRow {
  float* planets;  // (kFeatureSlots, kPlanetFeatures)
  float* globals;  // (kGlobalFeatures)
  uint8_t* valid;  // (kFeatureSlots) a planet is there
  uint8_t* mine;   // (kFeatureSlots) it is the seat's own
};

// What of the history reaches the features: full, snapshots alone (launch counts read 0), or nothing. Old weights were trained
// in all three ways, and are judged fairly only with theirs.
enum class HistoryMode : int32_t { kFull, kSnapshots, kNone };

struct FeatureOptions {
  HistoryMode history = HistoryMode::kFull;
  bool see_enemy_launches = false;  // a player does not see them; fixtures with made-up histories do
};

// What prepare() leaves for observe(). Owners are counted from neutral: index owner + 1.
constexpr int kOwners = kMaxSeats + 1;
struct FeatureScratch {
  float shared[kFeatureSlots * kPlanetFeatures];  // rows with the columns that no seat changes
};

// FeatureScratch is meant for one state at a time: prepare it, observe every seat, reuse it.
template <class L>
ORBIT_FN void prepare(const L& lanes, const Game& g, const FeatureOptions& options, FeatureScratch& s);
template <class L>
ORBIT_FN void observe(const L& lanes, const Game& g, int seat, const FeatureOptions& options, const FeatureScratch& s,
                      ObservationRow out);

}  // namespace orbit

// From sampled actions to orders: one seat's target and ship count per planet slot become lawful moves, in slot order.
#pragma once
#include "envs/common/lanes.h"
#include "envs/orbit_wars/intercept.h"
#include "envs/orbit_wars/move_row.h"
#include "envs/orbit_wars/state.h"

namespace orbit {

constexpr int32_t kNoOpTarget = kFeatureSlots;

struct DecodeOptions {
  bool strict = false;               // decode_strict.h; always aims by intercept and never at the source itself
  bool bearing_aim = false;          // straight at the target's present position instead of intercept
  bool self_target_bearing = false;  // a row aimed at its own planet launches at angle 0 instead of not at all
};

struct DecodeScratch {
  int32_t ships[kFeatureSlots];  // 0: no launch
  double angle[kFeatureSlots];
  int32_t committed[kFeatureSlots];  // strict: ships already on their way to a planet
};

// target (kFeatureSlots): planet slot or kNoOpTarget; x (kFeatureSlots): log1p of the ships. Rows of planets that are not the
// seat's own are not read.
template <class L>
ORBIT_FN void decode(const L& lanes, const Game& g, int seat, const int32_t* target, const float* x, const DecodeOptions& options,
                     DecodeScratch& s, MoveRow out);

}  // namespace orbit

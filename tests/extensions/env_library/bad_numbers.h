// A small environment for tests that goes wrong: its reward is not a number from some step on, which is drawn.
#pragma once
#include "envs/common/env_contract.h"

namespace orbit {

template <class Real>
struct BadNumbers {
  static constexpr const char* kName = "bad_numbers";
  static constexpr ActionKind kActionKind = ActionKind::kDiscrete;
  static constexpr int kActionSize = 1, kObservationSize = 1, kTimeLimit = 50;
  static constexpr bool kTruncatesItself = false;
  static constexpr Bounds kActionBounds[kActionSize] = {{0, 1}};
  static constexpr Bounds kObservationBounds[kObservationSize] = {{0, 50}};
  static constexpr Bounds kRewardBounds = {0, 1};

  struct State {
    int32_t steps;
  };
  template <class F>
  ORBIT_FN static void fields(State& s, F& f) {
    f("steps", s.steps);
  }

  ORBIT_FN static void reset(State& s, Draws&) { s.steps = 0; }

  ORBIT_FN static Transition<Real> step(State& s, const int32_t*, Draws& draw) {
    ++s.steps;
    const bool broken = draw.uniform(0.0, 1.0) < 0.002;
    return {broken ? std::numeric_limits<Real>::quiet_NaN() : Real(1), 0};
  }

  ORBIT_FN static void observe(const State& s, float* out) { out[0] = float(s.steps); }
};

}  // namespace orbit

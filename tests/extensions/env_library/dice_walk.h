// A small environment for tests, with what the built-in ones lack: several whole numbers as action, whole numbers and flags in
// the state, arrays of them, draws in a step, truncation by itself.
#pragma once
#include "envs/common/env_contract.h"

namespace orbit {

template <class Real>
struct DiceWalk {
  static constexpr const char* kName = "dice_walk";
  static constexpr ActionKind kActionKind = ActionKind::kMultiDiscrete;
  static constexpr int kActionSize = 2, kObservationSize = 5, kTimeLimit = 40;
  static constexpr Bounds kActionBounds[kActionSize] = {{0, 2}, {0, 1}};
  static constexpr Bounds kObservationBounds[kObservationSize] = {{-30, 30}, {-30, 30}, {0, 1}, {-10, 10}, {0, 6}};
  static constexpr Bounds kRewardBounds = {-10, 10};

  struct State {
    int32_t place[2];
    bool dizzy;
    Real wind;
    int32_t last_roll;
  };
  template <class F>
  ORBIT_FN static void fields(State& s, F& f) {
    f("place", s.place), f("dizzy", s.dizzy), f("wind", s.wind), f("last_roll", s.last_roll);
  }

  ORBIT_FN static void reset(State& s, Draws& draw) {
    s.place[0] = draw.integer(-5, 6);
    s.place[1] = draw.integer(-5, 6);
    s.dizzy = false;
    s.wind = Real(draw.normal(0.0, 0.5));
    s.last_roll = 0;
  }

  // action[0]: back, stay, on; action[1]: roll a die, and be carried that far by the wind.
  ORBIT_FN static Transition<Real> step(State& s, const int32_t* action, Draws& draw) {
    s.place[0] += action[0] - 1;
    if (action[1] == 1) {
      s.last_roll = draw.integer(1, 7);
      s.place[1] += s.wind > Real(0) ? s.last_roll : -s.last_roll;
      s.dizzy = !s.dizzy;
    }
    s.wind = clamp(s.wind + Real(draw.uniform(-0.1, 0.1)), Real(-10), Real(10));
    const bool home = s.place[0] == 0 && s.place[1] == 0, lost = s.place[1] < -20 || s.place[1] > 20;
    return {home ? Real(10) : -s.wind * Real(0.1), home, lost};
  }

  ORBIT_FN static void observe(const State& s, float* out) {
    out[0] = float(s.place[0]);
    out[1] = float(s.place[1]);
    out[2] = float(s.dizzy);
    out[3] = float(s.wind);
    out[4] = float(s.last_roll);
  }
};

}  // namespace orbit

// MountainCar-v0: a car in a valley, too weak to drive straight up (Moore 1990). Arithmetic in the order of gymnasium's
// mountain_car.py.
#pragma once
#include "envs/common/env_contract.h"

namespace orbit {

template <class Real>
struct MountainCar {
  static constexpr const char* kName = "mountain_car";
  static constexpr ActionKind kActionKind = ActionKind::kDiscrete;
  static constexpr int kActionSize = 1, kObservationSize = 2, kTimeLimit = 200;
  static constexpr bool kTruncatesItself = false;
  static constexpr Bounds kActionBounds[kActionSize] = {{0, 2}};  // left, nothing, right
  static constexpr Bounds kObservationBounds[kObservationSize] = {{-1.2f, 0.6f}, {-0.07f, 0.07f}};
  static constexpr Bounds kRewardBounds = {-1, -1};

  struct State {
    Real position, velocity;
  };
  template <class F>
  ORBIT_FN static void fields(State& s, F& f) {
    f("position", s.position), f("velocity", s.velocity);
  }

  ORBIT_FN static void reset(State& s, Draws& draw) {
    s.position = Real(draw.uniform(-0.6, -0.4));
    s.velocity = Real(0);
  }

  ORBIT_FN static Transition<Real> step(State& s, const int32_t* action, Draws&) {
    const Real left_end = Real(-1.2), right_end = Real(0.6), goal = Real(0.5), top_speed = Real(0.07);
    const Real push = Real(action[0] - 1) * Real(0.001) + cosine(Real(3) * s.position) * -Real(0.0025);
    const Real velocity = clamp(s.velocity + push, -top_speed, top_speed);
    const Real moved = s.position + velocity;
    s.position = clamp(moved, left_end, right_end);
    const bool at_wall = (moved <= left_end) & (velocity < Real(0));
    s.velocity = at_wall ? Real(0) : velocity;
    return {Real(-1), (s.position >= goal) & (s.velocity >= Real(0))};
  }

  ORBIT_FN static void observe(const State& s, float* out) {
    out[0] = float(s.position);
    out[1] = float(s.velocity);
  }
};

}  // namespace orbit

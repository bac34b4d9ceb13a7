// Nav: drive a point with inertia to the origin of a plane. Arithmetic of rl2xla 0.1.0, test_env.py.
#pragma once
#include "envs/common/env_contract.h"

namespace orbit {

template <class Real>
struct Nav {
  static constexpr const char* kName = "nav";
  static constexpr ActionKind kActionKind = ActionKind::kContinuous;
  static constexpr int kActionSize = 2, kObservationSize = 4, kTimeLimit = 100;
  static constexpr bool kTruncatesItself = false;
  static constexpr Bounds kActionBounds[kActionSize] = {{-1, 1}, {-1, 1}};
  static constexpr Bounds kObservationBounds[kObservationSize] = {{-2, 2}, {-2, 2}, {-1, 1}, {-1, 1}};
  static constexpr Bounds kRewardBounds = {-3, 0};

  struct State {
    Real x, y, vx, vy;
  };
  template <class F>
  ORBIT_FN static void fields(State& s, F& f) {
    f("x", s.x), f("y", s.y), f("vx", s.vx), f("vy", s.vy);
  }

  ORBIT_FN static void reset(State& s, Draws& draw) {
    s.x = Real(draw.uniform(-1, 1));
    s.y = Real(draw.uniform(-1, 1));
    s.vx = Real(0);
    s.vy = Real(0);
  }

  ORBIT_FN static Transition<Real> step(State& s, const float* action, Draws&) {
    const Real one = Real(1), two = Real(2), dt = Real(0.1), near = Real(0.1);
    // The official velocities are sums in float32, and kept as such.
    s.vx = clamp(Real(float(s.vx) + 0.1f * clamp(action[0], -1.0f, 1.0f)), -one, one);
    s.vy = clamp(Real(float(s.vy) + 0.1f * clamp(action[1], -1.0f, 1.0f)), -one, one);
    s.x = clamp(s.x + dt * s.vx, -two, two);
    s.y = clamp(s.y + dt * s.vy, -two, two);
    const Real distance = sqrt(s.x * s.x + s.y * s.y);
    return {-distance, distance < near};
  }

  ORBIT_FN static void observe(const State& s, float* out) {
    out[0] = float(s.x);
    out[1] = float(s.y);
    out[2] = float(s.vx);
    out[3] = float(s.vy);
  }
};

}  // namespace orbit

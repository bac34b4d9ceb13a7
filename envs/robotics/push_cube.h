// PushCube: a point pushes a cube to a target on a plane. Arithmetic of rl2xla 0.1.0, env.py, which keeps it in float32.
#pragma once
#include "envs/common/env_contract.h"

namespace orbit {

template <class Real>
struct PushCube {
  static constexpr const char* kName = "push_cube";
  static constexpr ActionKind kActionKind = ActionKind::kContinuous;
  static constexpr int kActionSize = 2, kObservationSize = 8, kTimeLimit = 100;
  static constexpr bool kTruncatesItself = false;
  static constexpr Bounds kActionBounds[kActionSize] = {{-1, 1}, {-1, 1}};
  static constexpr Bounds kObservationBounds[kObservationSize] = {{-1, 1}, {-1, 1}, {0, 0}, {0, 0}, {-1, 1}, {-1, 1}, {-1, 1}, {-1, 1}};
  static constexpr Bounds kRewardBounds = {-1, 2};

  struct State {
    Real hand[2], cube[2], target[2];
  };
  template <class F>
  ORBIT_FN static void fields(State& s, F& f) {
    f("hand", s.hand), f("cube", s.cube), f("target", s.target);
  }

  ORBIT_FN static void reset(State& s, Draws& draw) {
    const double x = draw.uniform(-0.72, -0.62), y = draw.uniform(-0.08, 0.08);
    s.hand[0] = Real(float(x));
    s.hand[1] = Real(float(y));
    s.cube[0] = Real(float(x + draw.uniform(0.12, 0.18)));
    s.cube[1] = Real(float(y + draw.uniform(-0.04, 0.04)));
    s.target[0] = Real(float(draw.uniform(0.42, 0.62)));
    s.target[1] = Real(float(draw.uniform(-0.18, 0.18)));
  }

  ORBIT_FN static Real distance(const Real* a, const Real* b) {
    const Real dx = a[0] - b[0], dy = a[1] - b[1];
    return sqrt(dx * dx + dy * dy);
  }

  ORBIT_FN static Transition<Real> step(State& s, const float* action, Draws&) {
    const Real reach = Real(0.16), success_distance = Real(0.10), one = Real(1);
    const Real push[2] = {Real(clamp(action[0], -1.0f, 1.0f)), Real(clamp(action[1], -1.0f, 1.0f))};
    const Real x = Real(0.045) * push[0], y = Real(0.045) * push[1];
    const Real before = distance(s.cube, s.target);
    s.hand[0] = clamp(s.hand[0] + x, -one, one);
    s.hand[1] = clamp(s.hand[1] + y, -one, one);
    const bool contact = distance(s.hand, s.cube) < reach;
    s.cube[0] = contact ? clamp(s.cube[0] + x, -Real(0.8), Real(0.8)) : s.cube[0];
    s.cube[1] = contact ? clamp(s.cube[1] + y, -Real(0.8), Real(0.8)) : s.cube[1];
    const Real after = distance(s.cube, s.target);
    const bool success = after < success_distance;
    const Real effort = sqrt(push[0] * push[0] + push[1] * push[1]);
    return {(before - after) - Real(0.002) * effort + (success ? one : Real(0)), success};
  }

  ORBIT_FN static void observe(const State& s, float* out) {
    for (int i = 0; i < 2; ++i) {
      out[i] = float(s.hand[i]);
      out[2 + i] = 0.0f;
      out[4 + i] = float(s.cube[i]);
      out[6 + i] = float(s.target[i]);
    }
  }
};

}  // namespace orbit

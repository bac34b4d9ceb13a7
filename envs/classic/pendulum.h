// Pendulum-v1: swing a pendulum up with a torque too weak to lift it, and hold it; ends by the time limit alone. Arithmetic in
// the order of gymnasium's pendulum.py.
#pragma once
#include "envs/common/env_contract.h"

namespace orbit {

template <class Real>
struct Pendulum {
  static constexpr const char* kName = "pendulum";
  static constexpr ActionKind kActionKind = ActionKind::kContinuous;
  static constexpr int kActionSize = 1, kObservationSize = 3, kTimeLimit = 200;
  static constexpr bool kTruncatesItself = false;
  static constexpr double kPi = 3.141592653589793;
  static constexpr Bounds kActionBounds[kActionSize] = {{-2, 2}};  // N m
  static constexpr Bounds kObservationBounds[kObservationSize] = {{-1, 1}, {-1, 1}, {-8, 8}};
  static constexpr Bounds kRewardBounds = {-float(kPi * kPi + 0.1 * 64 + 0.001 * 4) - 1e-5f, 0};

  struct State {
    Real theta, theta_dot;  // radians from upright, any number of turns; radians/s
  };
  template <class F>
  ORBIT_FN static void fields(State& s, F& f) {
    f("theta", s.theta), f("theta_dot", s.theta_dot);
  }

  ORBIT_FN static void reset(State& s, Draws& draw) {
    s.theta = Real(draw.uniform(-kPi, kPi));
    s.theta_dot = Real(draw.uniform(-1, 1));
  }

  // Within half a turn of upright, as Python's % has it.
  ORBIT_FN static Real normalized(Real angle) {
    const Real turn = Real(2 * kPi), shifted = angle + Real(kPi);
    return shifted - turn * floor(shifted / turn) - Real(kPi);
  }

  ORBIT_FN static Transition<Real> step(State& s, const float* action, Draws&) {
    const Real gravity = Real(10), dt = Real(0.05), top_speed = Real(8);  // mass and length are 1
    const float torque = clamp(action[0], -2.0f, 2.0f);
    const Real angle = normalized(s.theta);
    const Real costs = angle * angle + Real(0.1) * (s.theta_dot * s.theta_dot) + Real(0.001f * (torque * torque));
    const Real push = Real(3) * gravity / Real(2) * sine(s.theta) + Real(3.0f * torque);
    s.theta_dot = clamp(s.theta_dot + push * dt, -top_speed, top_speed);
    s.theta = s.theta + s.theta_dot * dt;
    return {-costs, 0};
  }

  ORBIT_FN static void observe(const State& s, float* out) {
    out[0] = float(cosine(s.theta));
    out[1] = float(sine(s.theta));
    out[2] = float(s.theta_dot);
  }
};

}  // namespace orbit

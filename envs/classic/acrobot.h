// Acrobot-v1: two links, torque on the joint between them, swing the tip above a height (Sutton 1996). The "book" dynamics of
// gymnasium's acrobot.py, one Runge-Kutta step of 0.2 s, arithmetic in its order.
#pragma once
#include "envs/common/env_contract.h"

namespace orbit {

template <class Real>
struct Acrobot {
  static constexpr const char* kName = "acrobot";
  static constexpr ActionKind kActionKind = ActionKind::kDiscrete;
  static constexpr int kActionSize = 1, kObservationSize = 6, kTimeLimit = 500;
  static constexpr bool kTruncatesItself = false;
  static constexpr double kPi = 3.141592653589793;
  static constexpr Bounds kActionBounds[kActionSize] = {{0, 2}};  // torque -1, 0, +1 N m
  static constexpr Bounds kObservationBounds[kObservationSize] = {
      {-1, 1}, {-1, 1}, {-1, 1}, {-1, 1}, {-float(4 * kPi), float(4 * kPi)}, {-float(9 * kPi), float(9 * kPi)}};
  static constexpr Bounds kRewardBounds = {-1, 0};

  struct State {
    Real theta1, theta2, theta1_dot, theta2_dot;  // radians: link 1 from hanging down, link 2 from link 1; radians/s
  };
  template <class F>
  ORBIT_FN static void fields(State& s, F& f) {
    f("theta1", s.theta1), f("theta2", s.theta2), f("theta1_dot", s.theta1_dot), f("theta2_dot", s.theta2_dot);
  }

  ORBIT_FN static void reset(State& s, Draws& draw) {  // gymnasium rounds to float32 here
    s.theta1 = Real(float(draw.uniform(-0.1, 0.1)));
    s.theta2 = Real(float(draw.uniform(-0.1, 0.1)));
    s.theta1_dot = Real(float(draw.uniform(-0.1, 0.1)));
    s.theta2_dot = Real(float(draw.uniform(-0.1, 0.1)));
  }

  // Time derivative of the state. Masses and lengths are 1, centres of mass at half the length, moments of inertia 1.
  ORBIT_FN static State derivative(const State& s, Real torque) {
    const Real lc = Real(0.5), g = Real(9.8), one = Real(1), two = Real(2);
    const Real c2 = cosine(s.theta2), s2 = sine(s.theta2);
    const Real d1 = lc * lc + (one + lc * lc + two * lc * c2) + one + one;
    const Real d2 = (lc * lc + lc * c2) + one;
    const Real phi2 = lc * g * cosine(s.theta1 + s.theta2 - Real(kPi / 2));
    const Real phi1 = -lc * (s.theta2_dot * s.theta2_dot) * s2 - two * lc * s.theta2_dot * s.theta1_dot * s2 +
                      (lc + one) * g * cosine(s.theta1 - Real(kPi / 2)) + phi2;
    const Real acc2 = (torque + d2 / d1 * phi1 - lc * (s.theta1_dot * s.theta1_dot) * s2 - phi2) / (lc * lc + one - d2 * d2 / d1);
    return {s.theta1_dot, s.theta2_dot, -(d2 * acc2 + phi1) / d1, acc2};
  }
  ORBIT_FN static State moved(const State& s, Real dt, const State& k) {
    return {s.theta1 + dt * k.theta1, s.theta2 + dt * k.theta2, s.theta1_dot + dt * k.theta1_dot, s.theta2_dot + dt * k.theta2_dot};
  }

  // Within half a turn. The speed limits allow less than a turn a step; gymnasium repeats this in a loop.
  ORBIT_FN static Real wrapped(Real angle) {
    const Real pi = Real(kPi), turn = Real(2 * kPi);
    angle = angle > pi ? angle - turn : angle;
    angle = angle > pi ? angle - turn : angle;
    angle = angle < -pi ? angle + turn : angle;
    return angle < -pi ? angle + turn : angle;
  }

  ORBIT_FN static Transition<Real> step(State& s, const int32_t* action, Draws&) {
    const Real dt = Real(0.2), half = Real(0.2 / 2), sixth = Real(0.2 / 6), two = Real(2);
    const Real torque = Real(action[0] - 1);
    const State k1 = derivative(s, torque), k2 = derivative(moved(s, half, k1), torque), k3 = derivative(moved(s, half, k2), torque),
                k4 = derivative(moved(s, dt, k3), torque);
    const Real top1 = Real(4 * kPi), top2 = Real(9 * kPi);
    s.theta1 = wrapped(s.theta1 + sixth * (k1.theta1 + two * k2.theta1 + two * k3.theta1 + k4.theta1));
    s.theta2 = wrapped(s.theta2 + sixth * (k1.theta2 + two * k2.theta2 + two * k3.theta2 + k4.theta2));
    s.theta1_dot = clamp(s.theta1_dot + sixth * (k1.theta1_dot + two * k2.theta1_dot + two * k3.theta1_dot + k4.theta1_dot), -top1, top1);
    s.theta2_dot = clamp(s.theta2_dot + sixth * (k1.theta2_dot + two * k2.theta2_dot + two * k3.theta2_dot + k4.theta2_dot), -top2, top2);
    const bool terminated = -cosine(s.theta1) - cosine(s.theta2 + s.theta1) > Real(1);  // the tip is a link's length above the axis
    return {terminated ? Real(0) : Real(-1), terminated};
  }

  ORBIT_FN static void observe(const State& s, float* out) {
    out[0] = float(cosine(s.theta1));
    out[1] = float(sine(s.theta1));
    out[2] = float(cosine(s.theta2));
    out[3] = float(sine(s.theta2));
    out[4] = float(s.theta1_dot);
    out[5] = float(s.theta2_dot);
  }
};

}  // namespace orbit

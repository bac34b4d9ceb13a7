// CartPole-v1: a pole on a cart that is pushed left or right (Barto, Sutton and Anderson 1983). Arithmetic in the order of
// gymnasium's cartpole.py, Euler integration.
#pragma once
#include "envs/common/env_contract.h"

namespace orbit {

template <class Real>
struct CartPole {
  static constexpr const char* kName = "cartpole";
  static constexpr ActionKind kActionKind = ActionKind::kDiscrete;
  static constexpr int kActionSize = 1, kObservationSize = 4, kTimeLimit = 500;
  static constexpr bool kTruncatesItself = false;
  static constexpr double kPositionLimit = 2.4, kAngleLimit = 12 * 2 * 3.141592653589793 / 360;  // m, radians
  static constexpr Bounds kActionBounds[kActionSize] = {{0, 1}};                                // left, right
  static constexpr Bounds kObservationBounds[kObservationSize] = {{-2 * float(kPositionLimit), 2 * float(kPositionLimit)}, {},
                                                                  {-2 * float(kAngleLimit), 2 * float(kAngleLimit)}, {}};
  static constexpr Bounds kRewardBounds = {1, 1};

  struct State {
    Real x, x_dot, theta, theta_dot;  // m, m/s, radians from upright, radians/s
  };
  template <class F>
  ORBIT_FN static void fields(State& s, F& f) {
    f("x", s.x), f("x_dot", s.x_dot), f("theta", s.theta), f("theta_dot", s.theta_dot);
  }

  ORBIT_FN static void reset(State& s, Draws& draw) {
    s.x = Real(draw.uniform(-0.05, 0.05));
    s.x_dot = Real(draw.uniform(-0.05, 0.05));
    s.theta = Real(draw.uniform(-0.05, 0.05));
    s.theta_dot = Real(draw.uniform(-0.05, 0.05));
  }

  ORBIT_FN static Transition<Real> step(State& s, const int32_t* action, Draws&) {
    const Real gravity = Real(9.8), pole_mass = Real(0.1), total_mass = Real(0.1 + 1.0), half_length = Real(0.5),
               pole_moment = Real(0.1 * 0.5), tau = Real(0.02);
    const Real force = action[0] == 1 ? Real(10) : Real(-10);
    const Real c = cosine(s.theta), sn = sine(s.theta);
    const Real temp = (force + pole_moment * (s.theta_dot * s.theta_dot) * sn) / total_mass;
    const Real theta_acc = (gravity * sn - c * temp) / (half_length * (Real(4.0 / 3.0) - pole_mass * (c * c) / total_mass));
    const Real x_acc = temp - pole_moment * theta_acc * c / total_mass;
    s.x = s.x + tau * s.x_dot;
    s.x_dot = s.x_dot + tau * x_acc;
    s.theta = s.theta + tau * s.theta_dot;
    s.theta_dot = s.theta_dot + tau * theta_acc;
    const Real x_limit = Real(kPositionLimit), theta_limit = Real(kAngleLimit);
    const bool terminated = (s.x < -x_limit) | (s.x > x_limit) | (s.theta < -theta_limit) | (s.theta > theta_limit);
    return {Real(1), terminated};
  }

  ORBIT_FN static void observe(const State& s, float* out) {
    out[0] = float(s.x);
    out[1] = float(s.x_dot);
    out[2] = float(s.theta);
    out[3] = float(s.theta_dot);
  }
};

}  // namespace orbit

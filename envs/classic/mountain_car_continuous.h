// MountainCarContinuous-v0: the car in the valley with a force of any size. Arithmetic in the order of gymnasium's
// continuous_mountain_car.py, which keeps its state in float32.
#pragma once
#include "envs/common/env_contract.h"

namespace orbit {

template <class Real>
struct MountainCarContinuous {
  static constexpr const char* kName = "mountain_car_continuous";
  static constexpr ActionKind kActionKind = ActionKind::kContinuous;
  static constexpr int kActionSize = 1, kObservationSize = 2, kTimeLimit = 999;
  static constexpr bool kTruncatesItself = false;
  static constexpr Bounds kActionBounds[kActionSize] = {{-1, 1}};
  static constexpr Bounds kObservationBounds[kObservationSize] = {{-1.2f, 0.6f}, {-0.07f, 0.07f}};
  static constexpr Bounds kRewardBounds = {-std::numeric_limits<float>::infinity(), 100};  // the cost is that of the unclipped action

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

  ORBIT_FN static Transition<Real> step(State& s, const float* action, Draws&) {
    const Real left_end = Real(-1.2), right_end = Real(0.6), goal = Real(0.45), top_speed = Real(0.07);
    const float force = clamp(action[0], -1.0f, 1.0f);
    const Real push = Real(force * 0.0015f) - Real(0.0025) * cosine(Real(3) * s.position);
    const Real velocity = clamp(s.velocity + push, -top_speed, top_speed);
    const Real moved = s.position + velocity, position = clamp(moved, left_end, right_end);
    const bool at_wall = (moved <= left_end) & (velocity < Real(0));
    const Real next_velocity = at_wall ? Real(0) : velocity;
    const bool terminated = (position >= goal) & (next_velocity >= Real(0));
    s.position = Real(float(position));
    s.velocity = Real(float(next_velocity));
    return {Real(terminated ? 100 : 0) - Real(action[0]) * Real(action[0]) * Real(0.1), terminated};
  }

  ORBIT_FN static void observe(const State& s, float* out) {
    out[0] = float(s.position);
    out[1] = float(s.velocity);
  }
};

}  // namespace orbit

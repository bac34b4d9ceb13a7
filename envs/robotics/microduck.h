// MicroduckWalk: a two-legged robot with 14 position-controlled joints that is to follow a velocity command. Arithmetic of rl2xla
// 0.1.0, microduck_env.py, which keeps it in float32: joints with PD control, a base on a spring-damper ground.
#pragma once
#include "envs/common/env_contract.h"

namespace orbit {

template <class Real>
struct Microduck {
  static constexpr int kJoints = 14;
  static constexpr const char* kName = "microduck";
  static constexpr ActionKind kActionKind = ActionKind::kContinuous;
  static constexpr int kActionSize = kJoints, kObservationSize = 61, kTimeLimit = 500;
  static constexpr bool kTruncatesItself = false;
  // Written out: g++ 12 stops with an internal error at an array whose rest is filled with a default.
  static constexpr Bounds kUnit{-1, 1}, kFree{}, kReach{-1.5f, 1.5f}, kSpeed{-10, 10}, kHead{-0.2f, 0.2f}, kBody{-0.1f, 0.1f};
  static constexpr Bounds kActionBounds[kActionSize] = {kUnit, kUnit, kUnit, kUnit, kUnit, kUnit, kUnit,
                                                        kUnit, kUnit, kUnit, kUnit, kUnit, kUnit, kUnit};
  static constexpr Bounds kObservationBounds[kObservationSize] = {
      kFree,  kFree,  kFree,  kUnit,  kUnit,  kUnit,                                                                  // gyro, gravity
      kReach, kReach, kReach, kReach, kReach, kReach, kReach, kReach, kReach, kReach, kReach, kReach, kReach, kReach,  // joint_pos
      kSpeed, kSpeed, kSpeed, kSpeed, kSpeed, kSpeed, kSpeed, kSpeed, kSpeed, kSpeed, kSpeed, kSpeed, kSpeed, kSpeed,  // joint_vel
      kUnit,  kUnit,  kUnit,  kUnit,  kUnit,  kUnit,  kUnit,  kUnit,  kUnit,  kUnit,  kUnit,  kUnit,  kUnit,  kUnit,   // last_action
      {-0.4f, 0.4f}, {-0.3f, 0.3f}, kUnit, kHead, kHead, kHead, kHead, kBody, kBody, kBody, kBody, kBody, kBody};      // commands
  static constexpr Bounds kRewardBounds = {-1, 2.2f};

  struct State {
    Real base_pos[3], base_quat[4], base_lin_vel[3], base_ang_vel[3];  // m; w x y z; m/s in the world; radians/s in the body
    Real joint_pos[kJoints], joint_vel[kJoints], last_action[kJoints];
    Real cmd_vel[3], cmd_head[4], cmd_body[6];  // what is asked for
  };
  template <class F>
  ORBIT_FN static void fields(State& s, F& f) {
    f("base_pos", s.base_pos), f("base_quat", s.base_quat), f("base_lin_vel", s.base_lin_vel), f("base_ang_vel", s.base_ang_vel);
    f("joint_pos", s.joint_pos), f("joint_vel", s.joint_vel), f("last_action", s.last_action);
    f("cmd_vel", s.cmd_vel), f("cmd_head", s.cmd_head), f("cmd_body", s.cmd_body);
  }

  static constexpr float kStep = 0.02f, kGround = 0.15f;  // s; standing height, m

  // Numbers of the official float32 arrays: drawn in double, then rounded.
  ORBIT_FN static Real drawn(Draws& draw, double low, double high) { return Real(float(draw.uniform(low, high))); }

  ORBIT_FN static void reset(State& s, Draws& draw) {
    s.base_pos[0] = drawn(draw, -0.05, 0.05);
    s.base_pos[1] = drawn(draw, -0.05, 0.05);
    s.base_pos[2] = Real(kGround);
    const double roll = draw.uniform(-0.05, 0.05), pitch = draw.uniform(-0.05, 0.05);
    const double cr = cosine(roll / 2), sr = sine(roll / 2), cp = cosine(pitch / 2), sp = sine(pitch / 2);
    const Real quat[4] = {Real(float(cr * cp)), Real(float(sr * cp)), Real(float(cr * sp)), Real(float(-sr * sp))};
    const Real norm = sqrt(quat[0] * quat[0] + quat[1] * quat[1] + quat[2] * quat[2] + quat[3] * quat[3]);
    for (int i = 0; i < 4; ++i) s.base_quat[i] = quat[i] / norm;
    for (int i = 0; i < 3; ++i) s.base_lin_vel[i] = s.base_ang_vel[i] = Real(0);
    for (int i = 0; i < kJoints; ++i) s.joint_pos[i] = drawn(draw, -0.05, 0.05);
    for (int i = 0; i < kJoints; ++i) s.joint_vel[i] = s.last_action[i] = Real(0);
    s.cmd_vel[0] = drawn(draw, -0.4, 0.4);
    s.cmd_vel[1] = drawn(draw, -0.3, 0.3);
    s.cmd_vel[2] = drawn(draw, -1.0, 1.0);
    for (int i = 0; i < 4; ++i) s.cmd_head[i] = drawn(draw, -0.2, 0.2);
    for (int i = 0; i < 6; ++i) s.cmd_body[i] = drawn(draw, -0.1, 0.1);
  }

  // PD control and first-order inertia; returns the sums of the torques of the left and of the right leg.
  ORBIT_FN static void move_joints(State& s, const Real* target, Real& left, Real& right) {
    const Real kp = Real(20), kd = Real(0.5), inertia = Real(0.002f), dt = Real(kStep), top_speed = Real(10), reach = Real(1.5);
    left = right = Real(0);
    for (int i = 0; i < kJoints; ++i) {
      const Real torque = kp * (target[i] - s.joint_pos[i]) - kd * s.joint_vel[i];
      s.joint_vel[i] = clamp(s.joint_vel[i] + torque / inertia * dt, -top_speed, top_speed);
      s.joint_pos[i] = clamp(s.joint_pos[i] + s.joint_vel[i] * dt, -reach, reach);
      left += i < 5 ? torque : Real(0);
      right += i >= 5 && i < 10 ? torque : Real(0);
    }
  }

  // Gravity, and the ground as spring and damper; no digging.
  ORBIT_FN static void move_base(State& s) {
    const Real dt = Real(kStep), ground = Real(kGround), mass = Real(0.8f), slip = Real(float(1.0 - 0.8 * double(kStep)));
    const Real z = s.base_pos[2];
    const Real force = z < ground ? Real(5000) * (ground - z) - Real(100) * s.base_lin_vel[2] : Real(0);
    s.base_lin_vel[0] = s.base_lin_vel[0] * slip;
    s.base_lin_vel[1] = s.base_lin_vel[1] * slip;
    s.base_lin_vel[2] = s.base_lin_vel[2] + (Real(-9.81f) + force / mass) * dt;
    for (int i = 0; i < 3; ++i) s.base_pos[i] = s.base_pos[i] + s.base_lin_vel[i] * dt;
    s.base_pos[2] = larger(Real(0), s.base_pos[2]);
  }

  // The legs' torques tilt the base; one Euler step of its quaternion.
  ORBIT_FN static void turn_base(State& s, Real left, Real right) {
    const Real dt = Real(kStep), coupling = Real(0.001f), inertia = Real(0.01f), keep = Real(1.0f - 0.5f * kStep), half = Real(0.5);
    Real* w = s.base_ang_vel;
    w[0] = (w[0] + (left - right) * coupling / inertia * dt) * keep;
    w[1] = (w[1] + (left + right) * coupling / inertia * dt) * keep;
    w[2] = w[2] * keep;
    Real* q = s.base_quat;
    const Real next[4] = {q[0] + half * (-q[1] * w[0] - q[2] * w[1] - q[3] * w[2]) * dt,
                          q[1] + half * (q[0] * w[0] + q[2] * w[2] - q[3] * w[1]) * dt,
                          q[2] + half * (q[0] * w[1] - q[1] * w[2] + q[3] * w[0]) * dt,
                          q[3] + half * (q[0] * w[2] + q[1] * w[1] - q[2] * w[0]) * dt};
    const Real norm = sqrt(next[0] * next[0] + next[1] * next[1] + next[2] * next[2] + next[3] * next[3]);
    for (int i = 0; i < 4; ++i) q[i] = next[i] / norm;
  }

  // Third component of gravity in the body: -1 upright, 1 upside down.
  ORBIT_FN static Real gravity_z(const State& s) {
    return (Real(1) - Real(2) * (s.base_quat[1] * s.base_quat[1] + s.base_quat[2] * s.base_quat[2])) * Real(-1);
  }

  ORBIT_FN static Transition<Real> step(State& s, const float* action, Draws&) {
    Real target[kJoints], left, right, change = Real(0);
    for (int i = 0; i < kJoints; ++i) {
      target[i] = Real(clamp(action[i], -1.0f, 1.0f));
      change += (target[i] - s.last_action[i]) * (target[i] - s.last_action[i]);
    }
    move_joints(s, target, left, right);
    move_base(s);
    turn_base(s, left, right);
    const Real ex = s.base_lin_vel[0] - s.cmd_vel[0], ey = s.base_lin_vel[1] - s.cmd_vel[1], ew = s.base_ang_vel[2] - s.cmd_vel[2];
    const Real reward = exponential(-sqrt(ex * ex + ey * ey + ew * ew)) + gravity_z(s) - Real(0.01f) * sqrt(change) + Real(0.1f);
    for (int i = 0; i < kJoints; ++i) s.last_action[i] = target[i];
    return {reward, s.base_pos[2] < Real(0.05f)};
  }

  ORBIT_FN static void observe(const State& s, float* out) {
    const Real w = s.base_quat[0], x = -s.base_quat[1], y = -s.base_quat[2], z = -s.base_quat[3];  // world to body
    for (int i = 0; i < 3; ++i) out[i] = float(s.base_ang_vel[i]);
    out[3] = float(Real(2) * (x * z + w * y) * Real(-1));
    out[4] = float(Real(2) * (y * z - w * x) * Real(-1));
    out[5] = float(gravity_z(s));
    for (int i = 0; i < kJoints; ++i) {
      out[6 + i] = float(s.joint_pos[i]);
      out[20 + i] = float(s.joint_vel[i]);
      out[34 + i] = float(s.last_action[i]);
    }
    for (int i = 0; i < 3; ++i) out[48 + i] = float(s.cmd_vel[i]);
    for (int i = 0; i < 4; ++i) out[51 + i] = float(s.cmd_head[i]);
    for (int i = 0; i < 6; ++i) out[55 + i] = float(s.cmd_body[i]);
  }
};

}  // namespace orbit

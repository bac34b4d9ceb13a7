// The formulas of the rules, evaluated exactly as the official game writes them.
#pragma once
#include "envs/orbit_wars/distance.h"
#include "envs/orbit_wars/limits.h"

namespace orbit {

// 1 + ln(production), the official bits on every platform.
ORBIT_FN double planet_radius(int32_t production) {
  return production == 1   ? 1.0
         : production == 2 ? 1.6931471805599454
         : production == 3 ? 2.09861228866811
         : production == 4 ? 2.386294361119891
                           : 2.6094379124341005;
}

// Do a point moving a -> b and a disc of radius r moving p0 -> p1 touch within the turn? Touching and starting inside count.
ORBIT_FN bool swept_hit(double ax, double ay, double bx, double by, double p0x, double p0y, double p1x, double p1y, double r) {
  const double dx = ax - p0x, dy = ay - p0y;
  const double vx = (bx - ax) - (p1x - p0x), vy = (by - ay) - (p1y - p0y);
  const double a = vx * vx + vy * vy, b = 2.0 * (dx * vx + dy * vy), c = dx * dx + dy * dy - r * r;
  if (a < 1e-12) return c <= 0;
  const double d = b * b - 4.0 * a * c;
  if (d < 0) return false;
  const double root = sqrt(d);
  return (-b + root) / (2.0 * a) >= 0 && (-b - root) / (2.0 * a) <= 1;
}

// Distance from the point p to the segment v-w.
ORBIT_FN double segment_distance(double px, double py, double vx, double vy, double wx, double wy) {
  const double l2 = square(vx - wx) + square(vy - wy);
  if (l2 == 0) return distance(px, py, vx, vy);
  const double along = ((px - vx) * (wx - vx) + (py - vy) * (wy - vy)) / l2;
  const double t = along < 0 ? 0 : along > 1 ? 1 : along;
  return distance(px, py, vx + t * (wx - vx), vy + t * (wy - vy));
}

// Does the segment v-w enter the sun? Plain products decide unless the squared distance is within 1e-8 of the limit (their
// own error is below 1e-11 on the board); then the official expression does.
ORBIT_FN bool crosses_sun(double vx, double vy, double wx, double wy) {
  const double sx = wx - vx, sy = wy - vy, l2 = sx * sx + sy * sy, qx = kCentre - vx, qy = kCentre - vy;
  const double t = l2 == 0 ? 0 : clamp((qx * sx + qy * sy) / l2, 0.0, 1.0);
  const double ex = qx - t * sx, ey = qy - t * sy, gap = ex * ex + ey * ey - kSunRadius * kSunRadius;
  if (fabs(gap) > 1e-8) return gap < 0;
  return segment_distance(kCentre, kCentre, vx, vy, wx, wy) < kSunRadius;
}

ORBIT_FN bool on_board(double x, double y) { return (x >= 0) & (x <= kBoardSize) & (y >= 0) & (y <= kBoardSize); }

// Board units per turn of 1 ship or more. limit is the configuration's shipSpeed.
ORBIT_FN double fleet_speed(int32_t ships, double limit) {
  const double share = tabulated(ships, [](int32_t n) { return power_1_5(log(double(n)) / log(1000.0)); });
  const double speed = 1.0 + (limit - 1.0) * share;
  return speed < limit ? speed : limit;
}

}  // namespace orbit

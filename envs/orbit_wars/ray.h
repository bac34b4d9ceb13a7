// Which planets, at their present places, a fleet would meet if it flew straight on for ever.
#pragma once
#include "envs/orbit_wars/state.h"

namespace orbit {

// Way of fleet j to the disc of planet i, 0 inside of it; -1 when it does not meet it. Past the centre it no longer does. The
// heading is taken from the displacement, which is sine and cosine of the angle times the speed.
ORBIT_FN double ray_distance(const Game& g, int j, int i) {
  const Fleets& f = g.fleets;
  const Planets& p = g.planets;
  const double v = sqrt(f.dx[j] * f.dx[j] + f.dy[j] * f.dy[j]);
  const double ux = v > 0 ? f.dx[j] / v : cosine(f.angle[j]), uy = v > 0 ? f.dy[j] / v : sine(f.angle[j]);
  const double dx = p.x[i] - f.x[j], dy = p.y[i] - f.y[j], along = dx * ux + dy * uy;
  const double off2 = dx * dx + dy * dy - along * along, r2 = p.radius[i] * p.radius[i];
  if (along < 0 || off2 >= r2) return -1.0;
  return larger(0.0, along - sqrt(r2 - larger(0.0, off2)));
}

// Cheap tests over many fleets, in single precision: may one meet the planet, so that ray_distance is >= 0, or be within a range of it?
// Products scaled by the displacement instead of divided by it; the slack is far above the rounding of coordinates below 1,000.
class RayTest {
 public:
  ORBIT_FN RayTest(const Game& g, int planet)
      : fleets_(g.fleets), x_(float(g.planets.x[planet])), y_(float(g.planets.y[planet])),
        reach_(float(g.planets.radius[planet] * g.planets.radius[planet]) + kSlack) {}

  // A fleet within reach may be past the centre; one that flies away from farther off is ruled out by the sign of along.
  ORBIT_FN bool may_meet(int j) const {
    const float vx = float(fleets_.dx[j]), vy = float(fleets_.dy[j]);
    const float along = (x_ - float(fleets_.x[j])) * vx + (y_ - float(fleets_.y[j])) * vy;
    return (squared_distance(j) * (1 - kRelativeSlack) - reach_) * (vx * vx + vy * vy) <= along * fabsf(along);
  }
  ORBIT_FN bool may_be_within(double range, int j) const { return squared_distance(j) <= float(range * range) + kSlack; }

 private:
  static constexpr float kSlack = 2e-2f, kRelativeSlack = 4e-6f;  // of squared distances
  ORBIT_FN float squared_distance(int j) const {
    const float dx = x_ - float(fleets_.x[j]), dy = y_ - float(fleets_.y[j]);
    return dx * dx + dy * dy;
  }
  Fleets fleets_;
  float x_, y_, reach_;
};

}  // namespace orbit

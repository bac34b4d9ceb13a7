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

// Cheap test over many fleets whether ray_distance can be >= 0: its products scaled by the displacement instead of divided by
// it, with slack far above the rounding of squared distances on the board.
class RayTest {
 public:
  ORBIT_FN RayTest(const Game& g, int planet)
      : fleets_(g.fleets), x_(g.planets.x[planet]), y_(g.planets.y[planet]),
        reach_(g.planets.radius[planet] * g.planets.radius[planet] + kSlack) {}

  ORBIT_FN double squared_distance(int j) const {
    const double dx = x_ - fleets_.x[j], dy = y_ - fleets_.y[j];
    return dx * dx + dy * dy;
  }
  ORBIT_FN bool operator()(int j) const {
    const double vx = fleets_.dx[j], vy = fleets_.dy[j];
    const double along = (x_ - fleets_.x[j]) * vx + (y_ - fleets_.y[j]) * vy;
    return (along >= -kSlack) & ((squared_distance(j) - reach_) * (vx * vx + vy * vy) <= along * along);
  }

 private:
  static constexpr double kSlack = 1e-6;
  Fleets fleets_;
  double x_, y_, reach_;
};

}  // namespace orbit

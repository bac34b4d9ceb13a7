#include "envs/orbit_wars/comet_obstacles.h"
#include "envs/orbit_wars/distance.h"
#include "envs/orbit_wars/state.h"

namespace orbit {
namespace {

constexpr double kSunClearance = kSunRadius + kCometRadius;
constexpr double kFixedClearance = kCometRadius + 0.5;  // beyond the planet's radius
constexpr double kRotatingClearance = kCometRadius;
// Squared distances up to 2e4 as plain products: within 1e-10 of the official ones.
constexpr double kMargin = 1e-7;

bool rotates(const Obstacle& o) { return distance(o.x, o.y, kCentre, kCentre) + o.radius < kRotationLimit; }
double clearance(bool rotating) { return rotating ? kRotatingClearance : kFixedClearance; }

double squared(double ax, double ay, double bx, double by) { return (ax - bx) * (ax - bx) + (ay - by) * (ay - by); }

bool touches_sun(double x, double y) {
  const double gap = squared(x, y, kCentre, kCentre) - kSunClearance * kSunClearance;
  return fabs(gap) < kMargin ? distance(x, y, kCentre, kCentre) < kSunClearance : gap < 0;
}

}  // namespace

bool ObstaclesWordForWord::touches(int i, int k, double x, double y) const {
  const Obstacle& o = obstacles_[i];
  Point at{o.x, o.y};
  const bool rotating = rotates(o);
  if (rotating) {
    const double dx = o.x - kCentre, dy = o.y - kCentre, orbit = sqrt(square(dx) + square(dy));
    const double angle = atan2(dy, dx) + omega_ * (step_ - 1 + k);
    at = {kCentre + orbit * cos(angle), kCentre + orbit * sin(angle)};
  }
  for (int q = 0; q < kWaveMembers; ++q) {
    const Point comet = symmetric(x, y, q);
    if (distance(comet.x, comet.y, at.x, at.y) < o.radius + clearance(rotating)) return true;
  }
  return false;
}

bool ObstaclesWordForWord::clear(const double* x, const double* y, int length) const {
  for (int k = 0; k < length; ++k) {
    if (distance(x[k], y[k], kCentre, kCentre) < kSunClearance) return false;
    for (int i = 0; i < int(obstacles_.size()); ++i)
      if (touches(i, k, x[k], y[k])) return false;
  }
  return true;
}

ObstaclesFast::ObstaclesFast(const std::vector<Obstacle>& obstacles, double omega, int step)
    : exact_(obstacles, omega, step), omega_(omega), step_(step), groups_(obstacles.size() / kWaveMembers) {
  for (size_t g = 0; g < groups_.size(); ++g) {
    const Obstacle& o = obstacles[g * kWaveMembers];
    const double dx = o.x - kCentre, dy = o.y - kCentre;
    groups_[g] = {o.x, o.y, sqrt(dx * dx + dy * dy), atan2(dy, dx), o.radius + clearance(rotates(o)), rotates(o), {}, {}};
  }
}

bool ObstaclesFast::symmetric_groups(const std::vector<Obstacle>& obstacles) {
  if (obstacles.size() % kWaveMembers != 0) return false;
  for (size_t i = 0; i < obstacles.size(); ++i) {
    const Obstacle& first = obstacles[i - i % kWaveMembers];
    const Point image = symmetric(first.y, first.x, int(i % kWaveMembers));  // member 0 is (y, x)
    if (obstacles[i].x != image.x || obstacles[i].y != image.y || obstacles[i].radius != first.radius) return false;
    if (rotates(obstacles[i]) != rotates(first)) return false;  // a hair's breadth from the limit
  }
  return true;
}

void ObstaclesFast::locate(int length) {
  for (; located_ < length; ++located_)
    for (Group& g : groups_) {
      const double angle = g.phase + omega_ * (step_ - 1 + located_);
      g.path_x[located_] = g.rotates ? kCentre + g.orbit * cos(angle) : g.x;
      g.path_y[located_] = g.rotates ? kCentre + g.orbit * sin(angle) : g.y;
    }
}

bool ObstaclesFast::touches(int group, const double* x, const double* y, int length) const {
  const Group& g = groups_[group];
  double gap[kMaxPath] = {};  // squared distance of the nearest comet, less the square of what it must be
  for (int k = 0; k < length; ++k) {
    const double px = g.path_x[k], py = g.path_y[k], u = x[k], v = y[k];
    const double d0 = squared(v, u, px, py), d1 = squared(kBoardSize - u, v, px, py);
    const double d2 = squared(u, kBoardSize - v, px, py), d3 = squared(kBoardSize - v, kBoardSize - u, px, py);
    gap[k] = smaller(smaller(d0, d1), smaller(d2, d3)) - g.reach * g.reach;
  }
  double least = gap[0];
  for (int k = 1; k < length; ++k) least = smaller(least, gap[k]);
  if (least < -kMargin || least > kMargin) return least < 0;
  for (int k = 0; k < length; ++k)
    for (int i = 0; gap[k] <= kMargin && i < kWaveMembers; ++i)
      if (exact_.touches(group * kWaveMembers + i, k, x[k], y[k])) return true;
  return false;
}

bool ObstaclesFast::clear(const double* x, const double* y, int length) {
  for (int k = 0; k < length; ++k)
    if (touches_sun(x[k], y[k])) return false;
  locate(length);
  for (int g = 0; g < int(groups_.size()); ++g)
    if (touches(g, x, y, length)) return false;
  return true;
}

}  // namespace orbit

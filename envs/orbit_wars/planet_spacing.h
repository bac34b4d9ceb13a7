// Whether a new group of four planets keeps its distance from the groups already placed, word for word and fast.
#pragma once
#include "envs/orbit_wars/geometry.h"
#include "envs/orbit_wars/state.h"

namespace orbit {

constexpr int kGroup = 4;
constexpr double kClearance = 7.0;  // between the rims of two planets

// A planet of a board in the making.
struct Body {
  double x, y, radius;
};

inline Body image(const Body& b, int member) {
  const Point p = symmetric(b.x, b.y, member);
  return {p.x, p.y, b.radius};
}
// A planet of the fill phase must be this far from the centre: ten from the sun, rim to rim.
inline double sun_limit(const Body& b) { return kSunRadius + b.radius + 10.0; }

// Whether a new group of four (b and its images) is too close to those already placed. The fill phase, which may place
// rotating planets, also asks whether a rotating one passes a fixed one (rings).
struct SpacingWordForWord {
  static double orbit(const Body& b) { return distance(b.x, b.y, kCentre, kCentre); }
  static bool clashes(const Body& b, const Body* placed, int count, bool rings) {
    for (int j = 0; j < kGroup; ++j) {
      const Body mine = image(b, j);
      const double my_orbit = orbit(mine);
      for (int i = 0; i < count; ++i) {
        const Body& other = placed[i];
        const double reach = other.radius + mine.radius + kClearance;
        if (distance(other.x, other.y, mine.x, mine.y) < reach) return true;
        if (!rings) continue;
        const double its_orbit = orbit(other);
        const bool i_rotate = my_orbit + mine.radius < kRotationLimit, it_rotates = its_orbit + other.radius < kRotationLimit;
        if (i_rotate != it_rotates && fabs(my_orbit - its_orbit) < reach) return true;
      }
    }
    return false;
  }
};

// The same with plain products, and one image for all four: the placed groups have the same symmetry. Where a comparison is
// closer than rounding could matter, the words decide.
struct SpacingFast {
  static constexpr double kMargin = 1e-9;         // of distances
  static constexpr double kSquaredMargin = 1e-7;  // of their squares

  static double plain_orbit(const Body& b) {
    const double dx = b.x - kCentre, dy = b.y - kCentre;
    return sqrt(dx * dx + dy * dy);
  }
  // The two limits it is compared with: the sun's, and the one between rotating and fixed.
  static double orbit(const Body& b) {
    const double d = plain_orbit(b);
    const bool unsure = fabs(d - sun_limit(b)) < kMargin || fabs(d + b.radius - kRotationLimit) < kMargin;
    return unsure ? SpacingWordForWord::orbit(b) : d;
  }
  static bool clashes(const Body& b, const Body* placed, int count, bool rings) {
    const Body mine = image(b, 0);
    const double my_orbit = plain_orbit(mine), my_edge = my_orbit + mine.radius - kRotationLimit;
    bool hit = false, unsure = fabs(my_edge) < kMargin;
    for (int g = 0; g < count; g += kGroup) {
      const double reach = placed[g].radius + mine.radius + kClearance;
      for (int j = 0; j < kGroup; ++j) {
        const double dx = placed[g + j].x - mine.x, dy = placed[g + j].y - mine.y, gap = dx * dx + dy * dy - reach * reach;
        hit |= gap < -kSquaredMargin;
        unsure |= fabs(gap) <= kSquaredMargin;
      }
      if (rings) {
        const double its_orbit = plain_orbit(placed[g]), its_edge = its_orbit + placed[g].radius - kRotationLimit;
        const double gap = fabs(my_orbit - its_orbit) - reach;
        unsure |= fabs(gap) < kMargin || fabs(its_edge) < kMargin;
        hit |= (my_edge < 0) != (its_edge < 0) && gap < -kMargin;
      }
      if (unsure) return SpacingWordForWord::clashes(b, placed, count, rings);
      if (hit) return true;
    }
    return false;
  }
};

}  // namespace orbit

#include "envs/orbit_wars/planet_spacing.h"
#include <gtest/gtest.h>
#include <cmath>
#include <random>
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

class PlanetSpacing : public ::testing::Test {
 protected:
  double between(double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random_); }
  // The value or one of its neighbours.
  double about(double v) {
    const int way = int(random_() % 3);
    return way == 0 ? v : std::nextafter(v, way == 1 ? 0 : 1e9);
  }
  Body planet() { return {between(52, 95), between(52, 95), between(1, 2.7)}; }
  // Both ways on a new planet against the group of another; returns their answer.
  bool clashes(const Body& b, const Body& other, bool rings) {
    Body placed[kGroup];
    for (int j = 0; j < kGroup; ++j) placed[j] = image(other, j);
    const bool words = SpacingWordForWord::clashes(b, placed, kGroup, rings);
    EXPECT_EQ(SpacingFast::clashes(b, placed, kGroup, rings), words);
    return words;
  }
  std::mt19937_64 random_{fresh_seed()};
};

TEST_F(PlanetSpacing, AnywhereOnTheBoard) {
  int hits = 0;
  for (int i = 0; i < 20000; ++i) hits += clashes(planet(), planet(), i % 2);
  EXPECT_GT(hits, 1000);
  EXPECT_LT(hits, 19000);
}

// Planets as far apart as they must be, to the last bit.
TEST_F(PlanetSpacing, WhereRoundingDecidesTheDistance) {
  int hits = 0, tests = 0;
  for (int i = 0; i < 20000; ++i) {
    const Body b = planet();
    const double way = between(0, 6.3), far = between(9, 13);
    Body other{b.x + far * std::cos(way), b.y + far * std::sin(way), 1};
    double nearest = 1e9;
    for (int j = 0; j < kGroup; ++j) {
      const Body p = image(other, j), q = image(b, 0);
      nearest = std::min(nearest, distance(p.x, p.y, q.x, q.y));
    }
    other.radius = about(nearest) - kClearance - b.radius;
    if (other.radius < 1 || other.radius > 3) continue;
    ++tests;
    hits += clashes(b, other, false);
  }
  EXPECT_GT(hits, 200);
  EXPECT_LT(hits, tests - 200);
}

// A rotating planet and a fixed one whose rings are as far apart as they must be, and planets that only just rotate.
TEST_F(PlanetSpacing, WhereRoundingDecidesTheRings) {
  int hits = 0, tests = 0;
  for (int i = 0; i < 200000; ++i) {
    Body b = planet(), other = planet();
    const double mine = SpacingWordForWord::orbit(b), its = SpacingWordForWord::orbit(other);
    if (i % 2 == 0)
      other.radius = about(std::fabs(mine - its)) - kClearance - b.radius;
    else
      other.radius = about(kRotationLimit - its);
    if (other.radius < 1 || other.radius > 3 || (mine + b.radius < 50) == (its + other.radius < 49.99)) continue;
    ++tests;
    hits += clashes(b, other, true);
  }
  EXPECT_GT(tests, 500);
  EXPECT_GT(hits, 20);
  EXPECT_LT(hits, tests - 20);
}

TEST_F(PlanetSpacing, OrbitsAgainstTheirLimits) {
  for (int i = 0; i < 20000; ++i) {
    Body b = planet();
    const double d = SpacingWordForWord::orbit(b);
    b.radius = about(i % 2 ? kRotationLimit - d : d - 20);
    EXPECT_EQ(SpacingFast::orbit(b) < sun_limit(b), d < sun_limit(b)) << i;
    EXPECT_EQ(SpacingFast::orbit(b) + b.radius < kRotationLimit, d + b.radius < kRotationLimit) << i;
  }
}

}  // namespace
}  // namespace orbit

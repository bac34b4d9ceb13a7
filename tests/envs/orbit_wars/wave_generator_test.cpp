#include "envs/orbit_wars/wave_generator.h"
#include <gtest/gtest.h>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include "envs/orbit_wars/board_generator.h"
#include "envs/orbit_wars/comet_obstacles.h"
#include "envs/orbit_wars/comet_path.h"
#include "envs/orbit_wars/geometry.h"
#include "envs/orbit_wars/state.h"
#include "tests/support/fresh_seed.h"
#include "tests/support/json_lines.h"

namespace orbit {
namespace {

std::vector<Obstacle> obstacles_of(const BoardData& b) {
  std::vector<Obstacle> all;
  for (int i = 0; i < b.planet_count; ++i) all.push_back({b.x[i], b.y[i], planet_radius(b.production[i])});
  return all;
}

// 200 waves recorded from the official code, one of which does not appear.
TEST(WaveGenerator, RecordedWaves) {
  int rows = 0, absent = 0;
  for (const std::string& line : data_lines("units/comets.jsonl.gz")) {
    const nlohmann::json row = nlohmann::json::parse(line);
    const Seed seed(row["seed"].get<int64_t>());
    const int step = row["spawn_step"];
    const BoardData board = make_board(seed);
    const Wave wave = make_wave(obstacles_of(board), board.omega, seed, step, kDefaultCometSpeed);
    ++rows;
    EXPECT_EQ(wave.tries, row["tries"].get<int>()) << seed.text() << " " << step;
    if (row["paths0"].is_null()) {
      ++absent;
      EXPECT_EQ(wave.length, 0);
      continue;
    }
    ASSERT_EQ(wave.length, int(row["paths0"].size())) << seed.text() << " " << step;
    EXPECT_EQ(wave.ships, row["ships"].get<int>()) << seed.text() << " " << step;
    for (int k = 0; k < wave.length; ++k) {
      const Point p = symmetric(wave.x[k], wave.y[k], 0);
      EXPECT_EQ(p.x, row["paths0"][k][0].get<double>()) << seed.text() << " " << step << " point " << k;
      EXPECT_EQ(p.y, row["paths0"][k][1].get<double>()) << seed.text() << " " << step << " point " << k;
    }
  }
  EXPECT_EQ(rows, 200);
  EXPECT_EQ(absent, 1);
}

// Planets that are no groups of four, other comet speeds, and speeds at which no wave can be made.
TEST(WaveGenerator, FastEqualsWordForWordOnStatesMadeByHand) {
  std::mt19937_64 random(fresh_seed());
  const double speeds[] = {0.05, 1.0, 2.0, 2.0001, 2.5, 3.0, 4.0, 5.5, 10.0, 60.0, 1e4};
  for (int i = 0; i < 44; ++i) {
    const Seed seed = static_cast<int64_t>(random() >> 40);
    const BoardData board = make_board(seed);
    std::vector<Obstacle> obstacles = obstacles_of(board);
    for (int cut = int(random() % 4); cut > 0; --cut) obstacles.erase(obstacles.begin() + long(random() % obstacles.size()));
    if (i % 3 == 0) obstacles[random() % obstacles.size()].x += 0.25;
    if (i % 5 == 0) obstacles.clear();
    const double speed = speeds[i % 11];
    const int step = kWaveSteps[random() % kBoardWaves];
    const Wave fast = make_wave(obstacles, board.omega, seed, step, speed);
    const Wave words = make_wave(obstacles, board.omega, seed, step, speed, Method::kWordForWord);
    EXPECT_EQ(std::memcmp(&fast, &words, sizeof fast), 0) << "seed " << seed.text() << " step " << step << " speed " << speed;
  }
}

Ellipse random_ellipse(std::mt19937_64& random) {
  const auto between = [&](double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random); };
  const double e = between(0.75, 0.93), a = between(60, 150), phi = between(0.52, 1.05);
  return {a, a * std::sqrt(1 - e * e), a * e, std::cos(phi), std::sin(phi)};
}

// Arc length at each sample, as the rules sum it.
std::vector<double> arcs(const Ellipse& e) {
  std::vector<double> arc{0};
  Point before{};
  for (int i = 0; i < 5000; ++i) {
    const double t = 0.3 * M_PI + 1.4 * M_PI * i / 4999, ex = e.c + e.a * std::cos(t), ey = e.b * std::sin(t);
    const Point p{50 + ex * e.cos_phi - ey * e.sin_phi, 50 + ex * e.sin_phi + ey * e.cos_phi};
    if (i > 0) arc.push_back(arc.back() + distance(p.x, p.y, before.x, before.y));
    before = p;
  }
  return arc;
}

// Speeds of which some multiple is the arc length of a sample to the last bit: rounding decides which sample is taken, and
// both ways must decide alike.
TEST(CometPath, FastEqualsWordForWordWhereRoundingDecides) {
  std::mt19937_64 random(fresh_seed());
  int long_paths = 0;
  for (int i = 0; i < 400; ++i) {
    const Ellipse ellipse = random_ellipse(random);
    const double arc = arcs(ellipse)[1500 + random() % 2000];  // about the middle, where the curve is on the board
    double speed = arc / std::ceil(arc / 4.0);
    for (int ulp = int(random() % 3); ulp > 0; --ulp) speed = std::nextafter(speed, random() % 2 ? 0.0 : 10.0);
    double fast_x[kMaxPath], fast_y[kMaxPath], x[kMaxPath], y[kMaxPath];
    const int length = comet_path_word_for_word(ellipse, speed, x, y);
    ASSERT_EQ(comet_path_fast(ellipse, speed, fast_x, fast_y), length);
    for (int k = 0; k < length; ++k) EXPECT_TRUE(fast_x[k] == x[k] && fast_y[k] == y[k]) << "ellipse " << i << " point " << k;
    long_paths += length > 0;
  }
  EXPECT_GT(long_paths, 100);
}

// One planet a hair away from its place in its group, or bigger, and the fast way must not be taken.
TEST(CometObstacles, SymmetricGroupsAreExact) {
  std::mt19937_64 random(fresh_seed());
  for (int i = 0; i < 200; ++i) {
    std::vector<Obstacle> obstacles = obstacles_of(make_board(static_cast<int64_t>(random() >> 33)));
    EXPECT_TRUE(ObstaclesFast::symmetric_groups(obstacles));
    Obstacle& odd = obstacles[random() % obstacles.size()];
    double& field = i % 3 == 0 ? odd.x : i % 3 == 1 ? odd.y : odd.radius;
    field = std::nextafter(field, random() % 2 ? 0 : 100);
    EXPECT_FALSE(ObstaclesFast::symmetric_groups(obstacles)) << i;
    obstacles.pop_back();
    EXPECT_FALSE(ObstaclesFast::symmetric_groups(obstacles)) << i;
  }
}

// Planets that a comet misses or touches by the last bit.
TEST(CometObstacles, FastEqualsWordForWordWhereRoundingDecides) {
  std::mt19937_64 random(fresh_seed());
  const auto between = [&](double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random); };
  int refused = 0;
  for (int i = 0; i < 4000; ++i) {
    const double px = between(52, 95), py = between(52, 95), x[1] = {between(0, 100)}, y[1] = {between(0, 100)};
    double nearest = 1e9;
    for (int q = 0; q < kWaveMembers; ++q) {
      const Point comet = symmetric(x[0], y[0], q), planet = symmetric(px, py, 0);
      nearest = std::min(nearest, distance(comet.x, comet.y, planet.x, planet.y));
    }
    const double radius = nearest - 1.5;
    if (radius < 1 || distance(px, py, 50, 50) + radius < 50.5) continue;  // fixed planets: their place is exact
    std::vector<Obstacle> group;
    for (int q = 0; q < 4; ++q) {
      const Point p = symmetric(px, py, q);
      group.push_back({p.x, p.y, radius});
    }
    ASSERT_TRUE(ObstaclesFast::symmetric_groups(group));
    const bool clear = ObstaclesWordForWord(group, 0.03, 50).clear(x, y, 1);
    EXPECT_EQ(ObstaclesFast(group, 0.03, 50).clear(x, y, 1), clear) << i;
    refused += !clear;
  }
  EXPECT_GT(refused, 20);
}

}  // namespace
}  // namespace orbit

#include "envs/orbit_wars/geometry.h"
#include "envs/orbit_wars/sweep_box.h"
#include <gtest/gtest.h>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include "tests/support/fresh_seed.h"
#include "tests/support/json_lines.h"

namespace orbit {
namespace {
using nlohmann::json;

std::vector<json> units(const std::string& kind) {
  std::vector<json> rows;
  for (const std::string& line : data_lines("units/units.jsonl.gz")) {
    json row = json::parse(line);
    if (row["kind"] == kind) rows.push_back(std::move(row));
  }
  return rows;
}

std::string bits(double v) {
  uint64_t u;
  std::memcpy(&u, &v, sizeof u);
  char text[17];
  std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(u));
  return text;
}

// The cheap test may let through, never keep back: pairs of all speeds, many of them a hair from touching; no numbers meet nothing.
TEST(Geometry, WhatTouchesHasBoxesThatOverlap) {
  std::mt19937_64 random(fresh_seed());
  std::uniform_real_distribution<double> share(0, 1);
  int hits = 0, ruled_out = 0;
  for (int k = 0; k < 200000; ++k) {
    const auto number = [&](double lo, double hi) { return lo + (hi - lo) * share(random); };
    const double ax = number(-5, 105), ay = number(-5, 105), dx = number(-10, 10), dy = number(-10, 10), r = number(0, 3);
    const double angle = number(0, 6.3), gap = r + (k % 2 ? number(-1e-9, 1e-9) : number(-5, 20));
    const double mx = k % 3 ? number(-5, 5) : 0, my = k % 3 ? number(-5, 5) : 0, t = number(0, 1);
    const double px = ax + t * (dx - mx) + gap * cos(angle), py = ay + t * (dy - my) + gap * sin(angle);
    const bool hit = swept_hit(ax, ay, ax + dx, ay + dy, px, py, px + mx, py + my, r);
    const bool near = overlap(sweep_box(float(ax), float(ay), float(dx), float(dy), 0),
                              sweep_box(float(px), float(py), float(px + mx) - float(px), float(py + my) - float(py), float(r)));
    ASSERT_TRUE(near || !hit) << "fleet " << ax << " " << ay << " by " << dx << " " << dy << ", planet " << px << " " << py << " by " << mx
                              << " " << my << ", radius " << r;
    hits += hit;
    ruled_out += !near;
  }
  EXPECT_GT(hits, 20000);
  EXPECT_GT(ruled_out, 20000);
  const float nan = NAN;
  EXPECT_FALSE(overlap(sweep_box(nan, 0, 1, 1, 0), sweep_box(0, 0, 1, 1, 1)));
}

TEST(Geometry, SweptTestEqualsTheOfficialOne) {
  const auto rows = units("swept");
  ASSERT_EQ(rows.size(), 1800u);
  for (const json& r : rows) {
    const auto at = [&](const char* key, int i) { return r[key][size_t(i)].get<double>(); };
    EXPECT_EQ(
        swept_hit(at("A", 0), at("A", 1), at("B", 0), at("B", 1), at("P0", 0), at("P0", 1), at("P1", 0), at("P1", 1), r["r"]),
        r["hit"].get<bool>())
        << r;
  }
}

TEST(Geometry, SegmentDistanceHasTheOfficialBits) {
  const auto rows = units("segment");
  ASSERT_EQ(rows.size(), 300u);
  for (const json& r : rows) {
    const auto at = [&](const char* key, int i) { return r[key][size_t(i)].get<double>(); };
    EXPECT_EQ(segment_distance(at("p", 0), at("p", 1), at("v", 0), at("v", 1), at("w", 0), at("w", 1)), r["d"].get<double>())
        << r;
  }
}

TEST(Geometry, SpeedHasTheOfficialBits) {
  const auto rows = units("speed");
  ASSERT_EQ(rows.size(), 80u);
  for (const json& r : rows) EXPECT_EQ(bits(fleet_speed(r["ships"], r["max"])), r["bits"].get<std::string>()) << r;
}

// The shortcut decides like the official expression, at the rim of the sun too.
TEST(Geometry, SunTestEqualsTheOfficialDistance) {
  std::mt19937_64 random(fresh_seed());
  const auto uniform = [&](double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random); };
  int inside = 0;
  for (int i = 0; i < 200000; ++i) {
    double vx = uniform(30, 70), vy = uniform(30, 70), wx = vx + uniform(-6, 6), wy = vy + uniform(-6, 6);
    if (i % 2) {  // a chord that touches the rim, or misses it by rounding
      const double angle = uniform(0, 7), rim = kSunRadius + (i % 4 == 1 ? 0 : uniform(-1e-9, 1e-9)), along = uniform(0, 6);
      const double px = kCentre + rim * std::cos(angle), py = kCentre + rim * std::sin(angle);
      vx = px - along * std::sin(angle), vy = py + along * std::cos(angle);
      wx = px + uniform(0, 6) * std::sin(angle), wy = py - uniform(0, 6) * std::cos(angle);
    }
    if (i % 1000 == 0) wx = vx, wy = vy;  // a fleet that stands still
    const bool expected = segment_distance(kCentre, kCentre, vx, vy, wx, wy) < kSunRadius;
    ASSERT_EQ(crosses_sun(vx, vy, wx, wy), expected) << bits(vx) << " " << bits(vy) << " " << bits(wx) << " " << bits(wy);
    inside += expected;
  }
  EXPECT_GT(inside, 20000);
  EXPECT_LT(inside, 180000);
}

TEST(Geometry, RadiusIsOnePlusLogOfProduction) {
  for (int production = 1; production <= 5; ++production)
    EXPECT_EQ(planet_radius(production), 1.0 + std::log(double(production)));
}

}  // namespace
}  // namespace orbit

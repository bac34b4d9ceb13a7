#include "envs/orbit_wars/board_generator.h"
#include <gtest/gtest.h>
#include <cstring>
#include <nlohmann/json.hpp>
#include <random>
#include "envs/orbit_wars/geometry.h"
#include "tests/support/fresh_seed.h"
#include "tests/support/json_lines.h"

namespace orbit {
namespace {

// Seeds beyond 64 bits are read from the text of the line: the JSON library would make them doubles.
Seed seed_of(const std::string& line) {
  const std::string mark = "\"seed\":";
  const size_t at = line.find(mark) + mark.size();
  return Seed(std::string_view(line).substr(at, line.find(',', at) - at));
}

// 200 seeds, 2 and 4 players each, recorded from the official code.
TEST(BoardGenerator, RecordedBoards) {
  BoardData board{};
  std::string of;
  int rows = 0;
  for (const std::string& line : data_lines("units/maps.jsonl.gz")) {
    const nlohmann::json row = nlohmann::json::parse(line);
    const Seed seed = seed_of(line);
    if (of != seed.text()) board = make_board(seed);
    of = seed.text();
    ++rows;
    ASSERT_EQ(board.omega, row["angular_velocity"].get<double>()) << of;
    const int players = row["players"];
    for (int seat = 0; seat < players; ++seat)
      EXPECT_EQ(board.home + (players == 2 ? 3 * seat : seat), row["homes"][seat][0].get<int>()) << of;
    if (!row.contains("planets")) continue;
    ASSERT_EQ(board.planet_count, int(row["planets"].size())) << of;
    for (int i = 0; i < board.planet_count; ++i) {
      const auto& p = row["planets"][i];
      EXPECT_EQ(board.x[i], p[2].get<double>()) << of << " planet " << i;
      EXPECT_EQ(board.y[i], p[3].get<double>()) << of << " planet " << i;
      EXPECT_EQ(planet_radius(board.production[i]), p[4].get<double>()) << of << " planet " << i;
      const bool owned = p[1] != kNeutral;
      EXPECT_EQ(owned ? kHomeShips : board.ships[i], p[5].get<int>()) << of << " planet " << i;
      EXPECT_EQ(board.production[i], p[6].get<int>()) << of << " planet " << i;
    }
  }
  EXPECT_EQ(rows, 400);
}

void expect_same(const BoardData& a, const BoardData& b, const std::string& seed) {
  for (int w = 0; w < kBoardWaves; ++w)
    EXPECT_EQ(std::memcmp(&a.waves[w], &b.waves[w], sizeof(Wave)), 0) << "seed " << seed << " wave " << a.waves[w].step;
  EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0) << "seed " << seed;
}

TEST(BoardGenerator, FastEqualsWordForWord) {
  std::mt19937_64 random(fresh_seed());
  for (int i = 0; i < 60; ++i) {
    const Seed seed = static_cast<int64_t>(random() >> 33);
    expect_same(make_board(seed), make_board(seed, kDefaultCometSpeed, Method::kWordForWord), seed.text());
  }
}

// Every board obeys what the rules promise of it, whatever the seed.
TEST(BoardGenerator, Properties) {
  std::mt19937_64 random(fresh_seed());
  for (int i = 0; i < 300; ++i) {
    const Seed seed = static_cast<int64_t>(random());
    const BoardData b = make_board(seed);
    EXPECT_GE(b.omega, 0.025);
    EXPECT_LE(b.omega, 0.05);
    ASSERT_TRUE(b.planet_count % 4 == 0 && b.planet_count >= 12 && b.planet_count <= kMaxPlanets - kWaveMembers) << seed.text();
    EXPECT_TRUE(b.home % 4 == 0 && b.home < b.planet_count) << seed.text();
    for (int p = 0; p < b.planet_count; ++p) {
      EXPECT_TRUE(b.ships[p] >= 5 && b.ships[p] <= 99 && b.production[p] >= 1 && b.production[p] <= 5) << seed.text();
      for (int q = 0; q < p - p % 4; ++q)
        EXPECT_GE(std::hypot(b.x[p] - b.x[q], b.y[p] - b.y[q]),
                  planet_radius(b.production[p]) + planet_radius(b.production[q]) + 7 - 1e-9) << seed.text();
    }
    for (const Wave& w : b.waves) {
      ASSERT_TRUE(w.length == 0 ? w.tries == 300 : w.length >= 5 && w.length <= kMaxPath) << seed.text();
      for (int k = 0; k < w.length; ++k)
        EXPECT_GE(std::hypot(w.x[k] - 50, w.y[k] - 50), kSunRadius + kCometRadius - 1e-9) << seed.text();
      for (int k = 1; k < w.length; ++k)
        EXPECT_NEAR(std::hypot(w.x[k] - w.x[k - 1], w.y[k] - w.y[k - 1]), 4.0, 0.2) << seed.text();
    }
  }
}

}  // namespace
}  // namespace orbit

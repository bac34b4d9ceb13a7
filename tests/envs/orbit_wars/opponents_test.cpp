#include "envs/orbit_wars/opponents.h"
#include <gtest/gtest.h>
#include <limits>
#include <random>
#include <vector>
#include "envs/common/lanes_fibers.h"
#include "envs/common/lanes_shuffled.h"
#include "tests/support/fresh_seed.h"
#include "tests/support/random_game.h"

namespace orbit {
namespace {

struct Order {
  int32_t from, ships;
  double angle;
  bool operator==(const Order& o) const { return from == o.from && ships == o.ships && angle == o.angle; }
};
std::ostream& operator<<(std::ostream& out, const Order& o) {
  return out << "[" << o.from << ", " << o.angle << ", " << o.ships << "]";
}

struct Row {
  int32_t count = -1, from[kMaxPlanets], ships[kMaxPlanets];
  double angle[kMaxPlanets];
  MoveRow view() { return {&count, from, ships, angle, kMaxPlanets}; }
  std::vector<Order> orders() const {
    std::vector<Order> all;
    for (int i = 0; i < count; ++i) all.push_back({from[i], ships[i], angle[i]});
    return all;
  }
};

// The same step under the three executors, which must agree.
template <class F>
std::vector<Order> on_all_executors(F step) {
  Row serial, shuffled, fibers;
  step(Serial{}, serial.view());
  step(Shuffled{}, shuffled.view());
  run_on_fibers([&](const auto& lanes) { step(lanes, fibers.view()); });
  EXPECT_EQ(shuffled.orders(), serial.orders());
  EXPECT_EQ(fibers.orders(), serial.orders());
  return serial.orders();
}

// The official starter agent, line by line.
std::vector<Order> starter_word_for_word(const Planets& p, int count, int player) {
  std::vector<int> targets;
  for (int i = 0; i < count; ++i)
    if (distance(p.x[i], p.y[i], 50, 50) + p.radius[i] >= 50 && p.owner[i] != player) targets.push_back(i);
  std::vector<Order> moves;
  for (int i = 0; i < count; ++i) {
    if (p.owner[i] != player || p.ships[i] <= 0) continue;
    int closest = -1;
    double least = std::numeric_limits<double>::infinity();
    for (int t : targets) {
      const double d = distance(p.x[i], p.y[i], p.x[t], p.y[t]);
      if (d < least) {
        least = d;
        closest = t;
      }
    }
    if (closest < 0) continue;
    const double angle = std::atan2(p.y[closest] - p.y[i], p.x[closest] - p.x[i]);
    if (p.ships[i] / 2 >= 20) moves.push_back({p.id[i], p.ships[i] / 2, angle});
  }
  return moves;
}

TEST(Opponents, StarterIsTheOfficialAgent) {
  std::mt19937_64 random(fresh_seed());
  size_t orders = 0;
  for (int i = 0; i < 300; ++i) {
    RandomGame random_game(random);
    const Game& g = random_game.game();
    for (int seat = 0; seat < kMaxSeats; ++seat) {
      const auto moves = on_all_executors([&](const auto& lanes, MoveRow out) { starter_moves(lanes, g, seat, out); });
      EXPECT_EQ(moves, starter_word_for_word(g.planets, g.now->planet_count, seat)) << "game " << i << " seat " << seat;
      orders += moves.size();
    }
  }
  EXPECT_GT(orders, 1000u);
}

// Two targets whose distances differ by rounding alone: the first by the official expression, not by the slots or the squares.
TEST(Opponents, NearestTargetWhereRoundingDecides) {
  std::mt19937_64 random(fresh_seed());
  const auto between = [&](double lo, double hi) { return std::uniform_real_distribution<double>(lo, hi)(random); };
  GameStorage storage(16, kBoardWaves);
  Planets p = storage.view().planets;
  int second = 0;
  for (int i = 0; i < 20000; ++i) {
    const double a = between(5, 40), b = between(5, 40);
    p.x[0] = between(40, 60);
    p.y[0] = between(40, 60);
    p.x[1] = p.x[0] + a;
    p.y[1] = p.y[0] + b;
    p.x[2] = p.x[0] - b;
    p.y[2] = p.y[0] + a;
    const bool second_wins = distance(p.x[0], p.y[0], p.x[2], p.y[2]) < distance(p.x[0], p.y[0], p.x[1], p.y[1]);
    EXPECT_EQ(nearest_target(p, 0, 0b110), second_wins ? 2 : 1) << i;
    second += second_wins;
  }
  EXPECT_GT(second, 2000);
}

TEST(Opponents, StarterWaitsWhereNoTargetStandsStill) {
  std::mt19937_64 random(fresh_seed());
  RandomGame random_game(random);
  Game& g = random_game.game();
  for (int i = 0; i < g.now->planet_count; ++i) {
    g.planets.owner[i] = stands_still(g.planets, i) ? 1 : kNeutral;
    g.planets.ships[i] = 100;
  }
  EXPECT_TRUE(on_all_executors([&](const auto& lanes, MoveRow out) { starter_moves(lanes, g, 1, out); }).empty());
}

TEST(Opponents, RandomSendsHalvesAtUniformAngles) {
  std::mt19937_64 random(fresh_seed());
  double sum = 0, cosine_sum = 0;
  int count = 0, different = 0;
  for (uint32_t i = 0; i < 300; ++i) {
    RandomGame random_game(random);
    const Game& g = random_game.game();
    const auto moves_at = [&](uint32_t turn) {
      return on_all_executors([&](const auto& lanes, MoveRow out) { random_moves(lanes, g, 0, out, {7, i, turn}); });
    };
    const auto moves = moves_at(3), later = moves_at(4);
    size_t k = 0;
    for (int p = 0; p < g.now->planet_count; ++p) {
      if (g.planets.owner[p] != 0 || g.planets.ships[p] < 40) continue;
      ASSERT_LT(k, moves.size());
      EXPECT_EQ(moves[k].from, g.planets.id[p]);
      EXPECT_EQ(moves[k].ships, g.planets.ships[p] / 2);
      EXPECT_TRUE(moves[k].angle >= 0 && moves[k].angle < 2 * M_PI);
      different += moves[k].angle != later[k].angle;
      sum += moves[k].angle;
      cosine_sum += std::cos(moves[k++].angle);
      ++count;
    }
    EXPECT_EQ(k, moves.size());
  }
  ASSERT_GT(count, 300);
  EXPECT_EQ(different, count);
  EXPECT_NEAR(sum / count, M_PI, 6 * M_PI / std::sqrt(3.0 * count));
  EXPECT_NEAR(cosine_sum / count, 0, 6 / std::sqrt(2.0 * count));
}

TEST(Opponents, NoopGivesNoOrders) {
  std::mt19937_64 random(fresh_seed());
  RandomGame random_game(random);
  EXPECT_TRUE(on_all_executors([&](const auto& lanes, MoveRow out) { noop_moves(lanes, random_game.game(), 0, out); }).empty());
}

}  // namespace
}  // namespace orbit

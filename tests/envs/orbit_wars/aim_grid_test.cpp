#include "envs/orbit_wars/aim_grid.h"
#include <gtest/gtest.h>
#include <memory>
#include <vector>
#include "tests/support/executors.h"
#include "tests/support/fresh_seed.h"
#include "tests/support/random_game.h"

namespace orbit {
namespace {

struct Grid {
  int sources, targets;
  std::vector<int32_t> ships, turns;
  std::unique_ptr<bool[]> ok;
  std::vector<double> angle, x, y;

  Grid(int a, int b) : sources(a), targets(b), ships(size()), turns(size(), -7), ok(new bool[size()]), angle(size(), -7), x(angle), y(angle) {}
  size_t size() const { return size_t(sources) * size_t(targets); }
  AimGrid view() { return {ships.data(), ok.get(), turns.data(), angle.data(), x.data(), y.data(), sources, targets}; }
};

// Every pair of the grid as intercept() answers it, under every executor.
TEST(AimGrid, EveryPairIsTheInterceptOfItsSlots) {
  std::mt19937_64 random(fresh_seed());
  int answered = 0, asked = 0;
  for (int round = 0; round < 60; ++round) {
    RandomGame random_game(random);
    const Game& g = random_game.game();
    const int sizes[] = {1, 8, 24, 36, 48, 5};
    Grid grid(sizes[round % 6], sizes[(round / 6 + round) % 6]);
    for (int32_t& n : grid.ships) n = int32_t(random() % 8 ? random() % 300 : random() % 5000) - 10;
    const auto check = [&](const char* executor) {
      for (int i = 0; i < grid.sources; ++i)
        for (int j = 0; j < grid.targets; ++j) {
          const size_t at = size_t(i * grid.targets + j);
          const bool real = grid.ships[at] > 0 && i != j && i < g.now->planet_count && j < g.now->planet_count;
          const Aim aim = real ? intercept(g, i, j, grid.ships[at]) : Aim{};
          ASSERT_EQ(grid.ok[at], aim.ok) << executor << " " << i << " " << j << " of round " << round;
          ASSERT_EQ(grid.turns[at], aim.turns) << executor << " " << i << " " << j;
          // A search walks by rotations or along the table: the same but for rounding.
          ASSERT_NEAR(grid.angle[at], aim.angle, 1e-12) << executor << " " << i << " " << j;
          ASSERT_NEAR(grid.x[at], aim.x, 1e-11) << executor << " " << i << " " << j;
          ASSERT_NEAR(grid.y[at], aim.y, 1e-11) << executor << " " << i << " " << j;
          asked += real;
          answered += aim.ok;
        }
    };
    AimScratch scratch;
    aim_pairs(Serial{}, g, grid.view(), scratch);
    check("serial");
    if (round % 4) continue;  // the others are slow
    aim_pairs(Shuffled(random()), g, grid.view(), scratch);
    check("shuffled");
    run_on_fibers([&](const auto& lanes) { aim_pairs(lanes, g, grid.view(), scratch); });
    check("fibers");
  }
  EXPECT_GT(answered, asked / 5);
  EXPECT_LT(answered, asked);
}

}  // namespace
}  // namespace orbit

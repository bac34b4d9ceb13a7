// The operators over batches: environments do not touch each other, threads change nothing, wrong tensors are named.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <functional>
#include "extensions/board_bank.h"
#include "extensions/ops.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

// Games in which every seat follows the starter or the random opponent.
struct Batch {
  std::vector<at::Tensor> bank, state;
  MoveTensors moves;
  GameRules rules;
  at::Tensor turn = at::zeros({}, at::kLong), seats;

  Batch(std::vector<at::Tensor> board_bank, int64_t n, int64_t players) : bank(std::move(board_bank)) {
    rules.seats = players;
    state = make_state(n, 128, at::kCPU);
    moves = make_moves(n, players, kMaxPlanets, at::kCPU);
    seats = at::arange(players, at::kInt).expand({n, players}).contiguous();
  }
  void reset(const at::Tensor& boards) { ops::reset_(state, bank, at::ones({boards.size(0)}, at::kBool), boards, rules.seats); }
  void play(int turns, uint64_t seed) {
    for (int t = 0; t < turns; ++t) {
      ops::scripted_moves_(state, bank, seats, t % 2 + 1, seed, turn, moves);
      ops::step_(state, bank, moves, rules);
      turn.add_(1);
    }
  }
};

std::vector<at::Tensor> bank_of(int64_t boards) {
  static const BoardBank bank = make_board_bank(consecutive_seeds(11, 6));
  std::vector<at::Tensor> some;
  for (const at::Tensor& t : bank) some.push_back(t.narrow(0, 0, boards).contiguous());
  return some;
}

void expect_equal(const std::vector<at::Tensor>& a, const std::vector<at::Tensor>& b, const char* what) {
  const auto names = state_names();
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(at::equal(a[i], b[i])) << what << ": " << names[i];
}

class GameOps : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Players, GameOps, testing::Values(2, 4));

TEST_P(GameOps, EnvironmentsTogetherEqualEnvironmentsAlone) {
  const uint64_t seed = fresh_seed();
  Batch together(bank_of(6), 6, GetParam());
  together.reset(at::arange(6, at::kInt));
  together.play(120, seed);
  // Environment 0 alone, since the random opponent's draws name the environment.
  for (int32_t board : {0}) {
    Batch alone(bank_of(6), 1, GetParam());
    alone.reset(at::full({1}, board, at::kInt));
    alone.play(120, seed);
    std::vector<at::Tensor> row;
    for (const at::Tensor& t : together.state) row.push_back(t.narrow(0, board, 1));
    expect_equal(row, alone.state, "environment 0");
  }
}

TEST_P(GameOps, ResultsDoNotDependOnThreads) {
  const uint64_t seed = fresh_seed();
  const int before = at::get_num_threads();
  Batch one(bank_of(6), 24, GetParam()), two(bank_of(6), 24, GetParam());
  const at::Tensor boards = at::arange(24, at::kInt).remainder(6).to(at::kInt);
  at::set_num_threads(1);
  one.reset(boards);
  one.play(80, seed);
  at::set_num_threads(2);
  two.reset(boards);
  two.play(80, seed);
  at::set_num_threads(before);
  expect_equal(one.state, two.state, "threads");
}

TEST_P(GameOps, ResetReachesOnlyTheEnvironmentsAskedFor) {
  Batch batch(bank_of(6), 4, GetParam());
  batch.reset(at::zeros({4}, at::kInt));
  batch.play(30, 1);
  const std::vector<at::Tensor> before = [&] {
    std::vector<at::Tensor> copy;
    for (const at::Tensor& t : batch.state) copy.push_back(t.clone());
    return copy;
  }();
  const at::Tensor where = at::tensor({0, 1, 0, 0}, at::kInt).to(at::kBool);
  ops::reset_(batch.state, batch.bank, where, at::full({4}, 3, at::kInt), GetParam());
  EXPECT_EQ(batch.state.back()[1][0].item<int>(), 0);
  EXPECT_EQ(batch.state.back()[1][6].item<int>(), 3);
  for (int64_t env : {0, 2, 3})
    for (size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(at::equal(before[i][env], batch.state[i][env]));
}

TEST(GameOps, EndedGamesStayAsTheyAre) {
  Batch batch(bank_of(1), 1, 2);
  batch.rules.episode_steps = 10;
  batch.reset(at::zeros({1}, at::kInt));
  batch.play(9, 0);
  ASSERT_EQ(batch.state.back()[0][4].item<int>(), 1) << "terminated after state 9 of 10";
  const at::Tensor scalars = batch.state.back().clone();
  batch.play(3, 0);
  EXPECT_TRUE(at::equal(scalars, batch.state.back()));
}

TEST(GameOps, SeatsThatAreNoneLeaveTheirRowsAlone) {
  Batch b(bank_of(2), 2, 2);
  b.reset(at::arange(2, at::kInt));
  b.play(10, 3);
  const auto observe = [&](const at::Tensor& seats, double fill) {
    const ObservationTensors o{at::full({2, 2, kFeatureSlots, kPlanetFeatures}, fill, at::kFloat),
                               at::full({2, 2, kGlobalFeatures}, fill, at::kFloat), at::zeros({2, 2, kFeatureSlots}, at::kBool),
                               at::zeros({2, 2, kFeatureSlots}, at::kBool)};
    ops::observe_(b.state, b.bank, seats, 0, o);
    return o;
  };
  const ObservationTensors all = observe(b.seats, 7), some = observe(at::tensor({-1, 1, -1, 4}, at::kInt).view({2, 2}), 7);
  EXPECT_TRUE(at::equal(all.planets[0][1], some.planets[0][1]));
  EXPECT_TRUE(some.planets[0][0].eq(7).all().item<bool>());
  EXPECT_TRUE(some.planets[1].eq(7).all().item<bool>());
  EXPECT_TRUE(some.globals[1].eq(7).all().item<bool>());
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const c10::Error& e) {
    return e.what_without_backtrace();
  }
  return "no error";
}

TEST(GameOps, WrongTensorsAreNamed) {
  Batch b(bank_of(1), 2, 2);
  b.reset(at::zeros({2}, at::kInt));
  const auto step = [&] { ops::step_(b.state, b.bank, b.moves, b.rules); };
  const auto with = [&](at::Tensor& slot, const at::Tensor& wrong) {
    const at::Tensor keep = slot;
    slot = wrong;
    const std::string said = message_of(step);
    slot = keep;
    return said;
  };
  EXPECT_THAT(with(b.moves.angle, b.moves.angle.to(at::kFloat)), testing::HasSubstr("move_angle: expected dtype Double"));
  EXPECT_THAT(with(b.moves.count, at::zeros({2, 3}, at::kInt)), testing::HasSubstr("move_count: expected shape"));
  EXPECT_THAT(with(b.state[1], at::zeros({2, 47}, at::kInt)), testing::HasSubstr("planet_owner: expected shape"));
  EXPECT_THAT(with(b.state[6], b.state[6].t().contiguous().t()), testing::HasSubstr("planet_x: expected a contiguous"));
  EXPECT_THAT(with(b.bank[0], b.bank[0].to(at::kFloat)), testing::HasSubstr("omega: expected dtype Double"));
  EXPECT_EQ(message_of(step), "no error");
}

}  // namespace
}  // namespace orbit

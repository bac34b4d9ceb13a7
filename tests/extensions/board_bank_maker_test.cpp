#include "extensions/board_bank_maker.h"
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>
#include <chrono>
#include <stdexcept>
#include "extensions/game_batch.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

TEST(BoardBankMaker, WhatIsThereIsWhatTheSeedsGiveAndStays) {
  const int64_t first = int64_t(fresh_seed() >> 8), boards = 40;
  const BoardBank expected = make_board_bank(consecutive_seeds(first, boards), kDefaultCometSpeed, 1);
  BoardBankMaker maker(boards, [&](int64_t row) { return Seed(first + row); }, {.threads = 3});
  for (const int64_t rows : {1, 7, 7, 3, 39, 40}) {
    maker.wait_for(rows);
    EXPECT_GE(maker.made(), rows);
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_TRUE(at::equal(maker.bank()[i].narrow(0, 0, rows), expected[i].narrow(0, 0, rows))) << bank_names()[i];
  }
}

TEST(BoardBankMaker, AFailureStopsOnlyThoseWhoNeedTheRow) {
  const auto seed_of = [](int64_t row) {
    if (row == 9 || row == 12) throw std::runtime_error("row " + std::to_string(row));
    return Seed(row);
  };
  BoardBankMaker maker(20, seed_of, {.threads = 2});
  maker.wait_for(9);
  try {
    maker.wait_for(20);
    FAIL() << "rows 9 and 12 cannot be made";
  } catch (const std::runtime_error& e) {
    EXPECT_STREQ(e.what(), "row 9");  // the lowest, whichever thread was first
  }
  EXPECT_EQ(maker.made(), 9);
}

TEST(BoardBankMaker, GoesAwayWithoutMakingTheRest) {
  const auto start = std::chrono::steady_clock::now();
  {
    BoardBankMaker maker(100000, [](int64_t row) { return Seed(row); }, {.threads = 2, .background = true});
    maker.wait_for(10);
  }
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(20)) << "all of them take a minute and more";
}

}  // namespace
}  // namespace orbit

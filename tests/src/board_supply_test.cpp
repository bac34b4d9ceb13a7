// Boards of a training run: which ones an iteration draws from, with and without a file, and what a wrong file is told.
#include "src/board_supply.h"
#include <ATen/ops/equal.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <filesystem>
#include <fstream>
#include "src/common/error.h"
#include "tests/support/fresh_seed.h"
#include "tests/support/temporary_folder.h"

namespace orbit {
namespace {

EnvironmentConfig config_of(int64_t first_seed, int64_t boards) {
  EnvironmentConfig c;
  c.board_seed_start = first_seed;
  c.board_bank_size = boards;
  c.board_bank_start = 5;
  c.board_bank_growth = 4;
  return c;
}

TEST(BoardSupply, AnIterationsNumberSaysHowManyBoardsItDrawsFrom) {
  const int64_t first = int64_t(fresh_seed() % 1000000);
  const BoardBank expected = make_board_bank(consecutive_seeds(first, 16));
  // Whatever was asked for before: a run that resumes at iteration 2 draws as one that came there from 0.
  for (const std::vector<int64_t>& iterations : {std::vector<int64_t>{0, 1, 2, 3, 9}, {2, 2, 3}, {9, 0}}) {
    BoardSupply supply(config_of(first, 16), at::kCPU, 2);
    for (int64_t k : iterations) {
      const int64_t rows = supply.rows_for(k);
      EXPECT_EQ(rows, std::min<int64_t>(16, 5 + 4 * k));
      for (size_t i = 0; i < expected.size(); ++i)
        EXPECT_TRUE(at::equal(supply.bank()[i].narrow(0, 0, rows), expected[i].narrow(0, 0, rows)));
    }
  }
}

TEST(BoardSupply, AFileIsWrittenWhenAllAreMadeAndReadTheNextTime) {
  const TemporaryFolder folder;
  const int64_t first = int64_t(fresh_seed() % 1000000);
  EnvironmentConfig config = config_of(first, 12);
  config.board_bank_file = folder.path() + "/boards";
  BoardSupply made(config, at::kCPU, 1);
  EXPECT_EQ(made.rows_for(0), 5);
  EXPECT_EQ(made.rows_for(9), 12);
  ASSERT_TRUE(std::filesystem::exists(*config.board_bank_file));
  config.board_bank_size = 10;  // a part of it will do
  BoardSupply loaded(config, at::kCPU, 1);
  EXPECT_EQ(loaded.rows_for(0), 5) << "as if they had to be made";
  EXPECT_EQ(loaded.rows_for(9), 10);
  for (size_t i = 0; i < loaded.bank().size(); ++i) EXPECT_TRUE(at::equal(loaded.bank()[i], made.bank()[i].narrow(0, 0, 10)));
}

TEST(BoardSupply, AWrongFileIsNamedWithItsKey) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/boards";
  save_board_bank(make_board_bank(consecutive_seeds(7, 6)), file);
  const auto said = [&](int64_t first, int64_t boards, const std::string& path) -> std::string {
    EnvironmentConfig config = config_of(first, boards);
    config.board_bank_file = path;
    try {
      BoardSupply(config, at::kCPU, 1);
    } catch (const UserError& e) {
      EXPECT_THAT(e.what(), testing::StartsWith("environment.board_bank_file: " + path));
      return e.what();
    }
    return "";
  };
  EXPECT_EQ(said(7, 6, file), "");
  EXPECT_THAT(said(8, 6, file), testing::HasSubstr("not the board of seed 8"));
  EXPECT_THAT(said(7, 7, file), testing::HasSubstr("holds 6 boards, board_bank_size is 7"));
  EXPECT_THAT(said(7, 6, folder.path()), testing::Not(""));
  EXPECT_THAT(said(7, 6, "/no/such/folder/boards"), testing::HasSubstr("/no/such/folder is no folder"));
  std::ofstream(file, std::ios::binary | std::ios::trunc) << "not boards";
  EXPECT_THAT(said(7, 6, file), testing::HasSubstr("is no board bank"));
}

}  // namespace
}  // namespace orbit

#include "extensions/board_bank.h"
#include <ATen/ops/equal.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include "extensions/game_batch.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

std::string scratch_file(const std::string& name) {
  return (std::filesystem::temp_directory_path() / ("orbit_" + std::to_string(getpid()) + "_" + name)).string();
}

void expect_same(const BoardBank& a, const BoardBank& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(at::equal(a[i], b[i])) << bank_names()[i];
}

TEST(BoardBank, RowsAreTheBoardsOfTheirSeeds) {
  std::mt19937_64 random(fresh_seed());
  std::vector<Seed> seeds = consecutive_seeds(int64_t(random() >> 34), 20);
  seeds.emplace_back(std::string_view("-1208925819614629174706181"));
  const BoardBank bank = make_board_bank(seeds);
  const BatchView v = view_of(make_state(1, 16, at::kCPU), bank, 2, 500, 6.0);  // checks names, dtypes and shapes
  ASSERT_EQ(v.bank_rows, int64_t(seeds.size()));
  for (size_t i = 0; i < seeds.size(); ++i) {
    const BoardData data = make_board(seeds[i]);
    const Board row = board_row(v.bank, int64_t(i));
    EXPECT_EQ(*row.omega, data.omega);
    EXPECT_EQ(*row.planet_count, data.planet_count);
    EXPECT_EQ(*row.home, data.home);
    EXPECT_EQ(std::memcmp(row.planet_x, data.x, sizeof data.x), 0);
    EXPECT_EQ(std::memcmp(row.planet_y, data.y, sizeof data.y), 0);
    EXPECT_EQ(std::memcmp(row.planet_ships, data.ships, sizeof data.ships), 0);
    EXPECT_EQ(std::memcmp(row.planet_production, data.production, sizeof data.production), 0);
    for (int w = 0; w < kBoardWaves; ++w) {
      const Wave& wave = data.waves[w];
      EXPECT_EQ(row.wave_step[w], wave.length ? kWaveSteps[w] : 0);
      EXPECT_EQ(row.wave_ships[w], wave.ships);
      ASSERT_EQ(row.path_length[w], wave.length);
      for (int q = 0; q < kWaveMembers; ++q)
        for (int k = 0; k < wave.length; ++k) {
          const Point want = symmetric(wave.x[k], wave.y[k], q), got = path_point(row, w * kWaveMembers + q, k);
          EXPECT_TRUE(got.x == want.x && got.y == want.y);
        }
    }
    for (int w = kBoardWaves; w < kMaxWaves; ++w) EXPECT_EQ(row.wave_step[w], 0);
  }
}

TEST(BoardBank, NumberOfThreadsDoesNotMatter) {
  const std::vector<Seed> seeds = consecutive_seeds(int64_t(fresh_seed()), 50);
  expect_same(make_board_bank(seeds, kDefaultCometSpeed, 1), make_board_bank(seeds, kDefaultCometSpeed, 7));
}

// Hand-made rows keep every member's path; the points are those of the symmetric ones.
TEST(BoardBank, ExplicitPathsGiveTheSamePoints) {
  const BoardData data = make_board(int64_t(fresh_seed()));
  const BoardBank bank = empty_board_bank(3, kMaxWaves * kWaveMembers);
  for (int w = 0; w < kBoardWaves; ++w) write_wave(data.waves[w], w, kMaxWaves * kWaveMembers, board_arrays(bank, 1));
  const Board row = board_row(view_of(make_state(1, 16, at::kCPU), bank, 4, 500, 6.0).bank, 1);
  for (int w = 0; w < kBoardWaves; ++w)
    for (int q = 0; q < kWaveMembers; ++q) {
      ASSERT_EQ(path_length(row, w * kWaveMembers + q), data.waves[w].length);
      for (int k = 0; k < data.waves[w].length; ++k) {
        const Point want = symmetric(data.waves[w].x[k], data.waves[w].y[k], q), got = path_point(row, w * kWaveMembers + q, k);
        EXPECT_TRUE(got.x == want.x && got.y == want.y);
      }
    }
}

TEST(BoardBank, SavedAndLoaded) {
  const std::string path = scratch_file("bank");
  BoardBank bank = make_board_bank(consecutive_seeds(int64_t(fresh_seed()), 9));
  save_board_bank(bank, path);
  BoardBank loaded = load_board_bank(path);
  expect_same(loaded, bank);
  board_arrays(loaded, 0).planet_x[0] = -1;  // a private copy: the file stays as it is
  loaded.clear();
  expect_same(load_board_bank(path), bank);
  std::filesystem::remove(path);
}

TEST(BoardBank, RefusesDamagedFiles) {
  const std::string path = scratch_file("damaged");
  const auto why = [&](const std::string& bytes) -> std::string {
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    try {
      load_board_bank(path);
    } catch (const std::runtime_error& e) {
      EXPECT_EQ(std::string(e.what()).rfind(path, 0), 0u) << e.what();
      return e.what();
    }
    return "";
  };
  save_board_bank(make_board_bank(consecutive_seeds(int64_t(fresh_seed()), 3)), path);
  std::ifstream file(path, std::ios::binary);
  const std::string good((std::istreambuf_iterator<char>(file)), {});
  EXPECT_EQ(why(good), "");
  EXPECT_NE(why(""), "");
  EXPECT_NE(why("orbit-boards\n"), "");
  EXPECT_NE(why(good.substr(0, good.size() - 64)).find("too early"), std::string::npos);
  EXPECT_NE(why(good + "x").find("behind its end"), std::string::npos);
  for (const size_t at : {size_t(0), size_t(20), size_t(24), size_t(40)}) {  // magic, version, path rows, boards
    std::string bad = good;
    bad[at] ^= 0x40;
    EXPECT_NE(why(bad), "") << at;
  }
  std::string bad = good;
  const int32_t too_long = kMaxPath + 1;
  std::memcpy(&bad[64 + 64 + 2 * 128], &too_long, 4);  // behind omega, wave_step, wave_ships: path_length of row 0
  EXPECT_NE(why(bad).find("row 0"), std::string::npos);
  std::filesystem::remove(path);
  EXPECT_THROW(load_board_bank(path), std::runtime_error);
  EXPECT_THROW(save_board_bank(make_board_bank(consecutive_seeds(0, 1)), "/no/such/folder/bank"), std::runtime_error);
}

}  // namespace
}  // namespace orbit

#include "extensions/board_bank.h"
#include <ATen/ops/zeros.h>
#include "extensions/board_bank_layout.h"
#include "extensions/checks.h"

namespace orbit {

std::vector<BankField> bank_fields(int64_t path_rows) {
  const at::ScalarType i = at::kInt, d = at::kDouble;
  return {{"omega", d, {}},
          {"wave_step", i, {kMaxWaves}},
          {"wave_ships", i, {kMaxWaves}},
          {"path_length", i, {path_rows}},
          {"path_x", d, {path_rows, kMaxPath}},
          {"path_y", d, {path_rows, kMaxPath}},
          {"planet_count", i, {}},
          {"home", i, {}},
          {"planet_ships", i, {kMaxPlanets}},
          {"planet_production", i, {kMaxPlanets}},
          {"planet_x", d, {kMaxPlanets}},
          {"planet_y", d, {kMaxPlanets}}};
}

BoardBank empty_board_bank(int64_t boards, int path_rows) {
  TORCH_CHECK(boards > 0, "board bank: expected at least one board, found ", boards);
  TORCH_CHECK(path_rows == kBoardWaves || path_rows == kMaxWaves * kWaveMembers, "board bank: expected ", kBoardWaves, " or ",
              kMaxWaves * kWaveMembers, " path rows, found ", path_rows);
  BoardBank bank;
  for (const BankField& f : bank_fields(path_rows)) bank.push_back(at::zeros(f.shape_of(boards), f.dtype));
  return bank;
}

BoardArrays board_arrays(const BoardBank& bank, int64_t row) {
  TORCH_CHECK(row >= 0 && row < bank.at(0).size(0), "board bank: no row ", row, " in ", bank.at(0).size(0));
  const auto ints = [&](int f) { return bank[f].mutable_data_ptr<int32_t>() + row * bank[f].stride(0); };
  const auto doubles = [&](int f) { return bank[f].mutable_data_ptr<double>() + row * bank[f].stride(0); };
  return {doubles(0), ints(1), ints(2), ints(3), doubles(4),  doubles(5),
          ints(6),    ints(7), ints(8), ints(9), doubles(10), doubles(11)};
}

std::vector<Seed> consecutive_seeds(int64_t first, int64_t count) {
  std::vector<Seed> seeds;
  for (int64_t i = 0; i < count; ++i) seeds.emplace_back(first + i);
  return seeds;
}

}  // namespace orbit

#include "extensions/board_bank.h"
#include <ATen/ops/zeros.h>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
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

BoardBank make_board_bank(const std::vector<Seed>& seeds, double comet_speed, int threads, Method method) {
  BoardBank bank = empty_board_bank(int64_t(seeds.size()), kBoardWaves);
  std::atomic<size_t> next{0};
  std::mutex failing;
  std::exception_ptr failure;
  const auto work = [&] {
    for (size_t row; (row = next++) < seeds.size();) {
      try {
        write_board(make_board(seeds[row], comet_speed, method), board_arrays(bank, int64_t(row)));
      } catch (...) {
        std::lock_guard<std::mutex> lock(failing);
        failure = std::current_exception();
      }
    }
  };
  if (threads <= 0) threads = int(std::thread::hardware_concurrency());
  std::vector<std::thread> others;
  for (int t = 1; t < threads; ++t) others.emplace_back(work);
  work();
  for (std::thread& t : others) t.join();
  if (failure) std::rethrow_exception(failure);
  return bank;
}

std::vector<Seed> consecutive_seeds(int64_t first, int64_t count) {
  std::vector<Seed> seeds;
  for (int64_t i = 0; i < count; ++i) seeds.emplace_back(first + i);
  return seeds;
}

}  // namespace orbit

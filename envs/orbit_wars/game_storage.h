// One game that owns its arrays, for tests, parity checks and benchmarks. Host only; batches live in tensors.
#pragma once
#include <cstring>
#include <memory>
#include <new>
#include "envs/orbit_wars/board_arrays.h"

namespace orbit {

class GameStorage {
 public:
  // max_fleets: a multiple of 16. path_rows: kBoardWaves for generated boards, 4 * kMaxWaves for explicit paths.
  GameStorage(int max_fleets, int path_rows) : max_fleets_(max_fleets), path_rows_(path_rows) {
    lay_out();
    block_.reset(static_cast<char*>(::operator new[](bytes_, std::align_val_t(kAlign))));
    std::memset(block_.get(), 0, bytes_);
    lay_out();
  }

  Game view() const { return game_; }
  BoardArrays& board() { return board_; }
  int max_fleets() const { return max_fleets_; }
  // Everything, board included, from a storage of the same sizes.
  void copy_from(const GameStorage& other) { std::memcpy(block_.get(), other.block_.get(), bytes_); }

 private:
  static constexpr size_t kAlign = 64;
  struct Free {
    void operator()(char* p) const { ::operator delete[](p, std::align_val_t(kAlign)); }
  };

  template <class T>
  void take(T*& array, size_t count) {
    array = reinterpret_cast<T*>(block_.get() + bytes_);
    bytes_ += (count * sizeof(T) + kAlign - 1) / kAlign * kAlign;
  }

  // Walks over all arrays: the first time to count bytes, the second to place them.
  void lay_out() {
    bytes_ = 0;
    with_arrays(game_.planets, [&](auto&... a) { (take(a, kMaxPlanets), ...); });
    with_arrays(game_.fleets, [&](auto&... a) { (take(a, size_t(max_fleets_)), ...); });
    const int* size = kHistoryArraySizes;
    with_arrays(game_.history, [&](auto&... a) { (take(a, size_t(*size++)), ...); });
    take(game_.now, 1);
    const size_t rows = size_t(path_rows_), points = rows * kMaxPath;
    take(board_.omega, 1);
    take(board_.wave_step, kMaxWaves);
    take(board_.wave_ships, kMaxWaves);
    take(board_.path_length, rows);
    take(board_.path_x, points);
    take(board_.path_y, points);
    take(board_.planet_count, 1);
    take(board_.home, 1);
    take(board_.planet_ships, kMaxPlanets);
    take(board_.planet_production, kMaxPlanets);
    take(board_.planet_x, kMaxPlanets);
    take(board_.planet_y, kMaxPlanets);
    game_.board = {board_.omega,    board_.wave_step,    board_.wave_ships,       board_.path_length, board_.path_x,
                   board_.path_y,   board_.planet_count, board_.home,             board_.planet_ships, board_.planet_production,
                   board_.planet_x, board_.planet_y,     path_rows_};
  }

  int max_fleets_, path_rows_;
  size_t bytes_ = 0;
  std::unique_ptr<char[], Free> block_;
  Game game_{};
  BoardArrays board_{};
};

}  // namespace orbit

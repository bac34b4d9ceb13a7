#include "envs/orbit_wars/board_arrays.h"
#include <algorithm>

namespace orbit {
namespace {

void write_path(const Wave& wave, int row, const BoardArrays& to) {
  to.path_length[row] = wave.length;
  std::copy(wave.x, wave.x + kMaxPath, to.path_x + row * kMaxPath);
  std::copy(wave.y, wave.y + kMaxPath, to.path_y + row * kMaxPath);
}

}  // namespace

void write_wave(const Wave& wave, int w, int path_rows, const BoardArrays& to) {
  to.wave_step[w] = wave.length > 0 ? wave.step : 0;
  to.wave_ships[w] = wave.ships;
  if (path_rows == kBoardWaves) return write_path(wave, w, to);
  for (int q = 0; q < kWaveMembers; ++q) {
    Wave member = wave;
    for (int k = 0; k < wave.length; ++k) {
      const Point p = symmetric(wave.x[k], wave.y[k], q);
      member.x[k] = p.x;
      member.y[k] = p.y;
    }
    write_path(member, w * kWaveMembers + q, to);
  }
}

void write_board(const BoardData& board, const BoardArrays& to) {
  *to.omega = board.omega;
  *to.planet_count = board.planet_count;
  *to.home = board.home;
  std::copy(board.ships, board.ships + kMaxPlanets, to.planet_ships);
  std::copy(board.production, board.production + kMaxPlanets, to.planet_production);
  std::copy(board.x, board.x + kMaxPlanets, to.planet_x);
  std::copy(board.y, board.y + kMaxPlanets, to.planet_y);
  for (int w = 0; w < kBoardWaves; ++w) write_wave(board.waves[w], w, kBoardWaves, to);
  for (int w = kBoardWaves; w < kMaxWaves; ++w) to.wave_step[w] = to.wave_ships[w] = 0;
}

}  // namespace orbit

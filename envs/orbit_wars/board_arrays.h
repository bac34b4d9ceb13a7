// The arrays behind a Board, writable, and how a generated board gets into them. Host only.
#pragma once
#include "envs/orbit_wars/board_generator.h"
#include "envs/orbit_wars/state.h"

namespace orbit {

// Same shapes as in Board.
struct BoardArrays {
  double* omega;
  int32_t* wave_step;
  int32_t* wave_ships;
  int32_t* path_length;
  double* path_x;
  double* path_y;
  int32_t* planet_count;
  int32_t* home;
  int32_t* planet_ships;
  int32_t* planet_production;
  double* planet_x;
  double* planet_y;
};

// All of a generated board, into arrays of kBoardWaves path rows.
void write_board(const BoardData& board, const BoardArrays& to);

// One wave into slot w (below kMaxWaves) of a board of any path_rows; an absent wave (length 0) never comes.
void write_wave(const Wave& wave, int w, int path_rows, const BoardArrays& to);

}  // namespace orbit

// The board bank: generated boards as tensors, made once on the host, read by every reset and turn. A reset takes a row of it.
#pragma once
#include <ATen/core/Tensor.h>
#include <string>
#include <vector>
#include "envs/orbit_wars/board_arrays.h"

namespace orbit {

// Tensors in the order of bank_names() (game_batch.h), leading dimension B (boards), each as the field of Board it is named
// after; as many path rows as path_length has columns. On the CPU when made; tensors may be moved to a device one by one.
using BoardBank = std::vector<at::Tensor>;

// Zeroed rows, to be written one by one. path_rows: kBoardWaves for generated boards, 4 * kMaxWaves for hand-made ones.
BoardBank empty_board_bank(int64_t boards, int path_rows);

// Where row `row` of a bank on the CPU is written (write_board, write_wave).
BoardArrays board_arrays(const BoardBank& bank, int64_t row);

// The board of each seed, in order, the same for any number of threads (0: one a core). Throws std::runtime_error for a seed
// whose board does not fit.
BoardBank make_board_bank(const std::vector<Seed>& seeds, double comet_speed = kDefaultCometSpeed, int threads = 0,
                          Method method = Method::kFast);

// Of first, first + 1, ...
std::vector<Seed> consecutive_seeds(int64_t first, int64_t count);

// A file of all tensors of a bank. Loading maps it into memory, privately, and throws std::runtime_error with the file's name
// where it is missing, is no bank, is of another version, was cut, or holds what no generator writes.
void save_board_bank(const BoardBank& bank, const std::string& path);
BoardBank load_board_bank(const std::string& path);

}  // namespace orbit

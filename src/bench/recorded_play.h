// Recorded games as tensors: a load for benchmarks in which launches, captures and comets come as they really do.
#pragma once
#include <string>
#include <vector>
#include "extensions/board_bank.h"
#include "extensions/ops.h"

namespace orbit {

// All turns of some recorded games, one game after the other: a cycle of C turns that can be played again and again. Read-only
// once made.
struct RecordedPlay {
  GameRules rules;                // of all of them
  int64_t games = 0;
  BoardBank bank;                 // a row a game
  std::vector<at::Tensor> before;  // state tensors with C rows: the state before each turn
  MoveTensors moves;              // the orders of each turn, C rows
  at::Tensor starts;              // (C) bool: the turn is the first of a game,
  at::Tensor board;               // (C) int32: and this is its row of the bank
  double mean_fleets = 0;         // in flight, over the turns

  int64_t turns() const { return starts.size(0); }
};

// Where the project keeps them.
std::string recorded_play_folder();
// The files of a load in a folder: two or four players, and 0, 11, 100 or 400 fleets in flight, about (with four players at 11: 20). Throws
// UserError for others.
std::vector<std::string> recorded_play_files(const std::string& folder, int players, int fleets);

// The games of these trace files or replays, played once through the operators. Throws UserError for a file whose games start
// from a state made by hand, or follow other rules than the first one. The fleet capacity fits them all (at least
// kDefaultMaxFleets).
RecordedPlay load_recorded_play(const std::vector<std::string>& files);

}  // namespace orbit

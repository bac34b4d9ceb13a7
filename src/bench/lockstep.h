// Many environments that play recorded games in lockstep through the operators, each at another turn of them.
#pragma once
#include <array>
#include <vector>
#include "src/bench/recorded_play.h"

namespace orbit {

// What is done in a turn besides the step. kWholeGame adds boards of fresh seeds, as many as games begin.
enum class Part { kStep, kAimDecode, kFeatures, kWholeGame };
constexpr const char* kPartNames[] = {"step", "step+aim+decode", "step+features", "whole-game"};

// The pieces of which a part's time consists.
enum Piece { kPieceBoards, kPieceReset, kPieceFeatures, kPieceAimDecode, kPieceStep, kPieces };
constexpr const char* kPieceNames[kPieces] = {"boards", "reset", "features", "aim+decode", "step"};
using PieceSeconds = std::array<double, kPieces>;

// Environment i of N is at turn (t + i * stride) of the cycle of recorded turns, with stride = C / N rounded down, at least 1.
// So `stride` turns of all environments pass each turn of the cycle about once: a pass. Orders of a turn are a view of
// tensors laid out beforehand; nothing is copied while turns are played.
class Lockstep {
 public:
  Lockstep(const RecordedPlay& play, int64_t num_envs);

  int64_t steps_of_pass() const { return stride_ * count_; }
  double games_of_pass() const { return double(steps_of_pass()) * double(play_.games) / double(play_.turns()); }
  // Back to the start when the next pass would run past the orders laid out (about once in a whole cycle); costs a copy of all
  // states, so it is called where nothing is timed.
  void rewind_if_due();
  // Plays `stride` turns. With seconds, the time of each piece is added there (the clock itself costs 0.1 us a turn then).
  void play_pass(Part part, PieceSeconds* seconds = nullptr);

  // The same turn by turn: games begin where the recording says so, and its orders are played, until the cycle has ended.
  void begin_games();
  void step();
  bool ended() const { return next_ == int64_t(turns_.size()); }
  void rewind();

  const RecordedPlay& play() const { return play_; }
  const std::vector<at::Tensor>& state() const { return state_; }
  double mean_fleets() const;  // in flight now, an environment

  // Of the state tensors of an environment; with the arrays that remember earlier turns for the features, or without.
  int64_t bytes_per_env(bool with_history) const;

 private:
  struct Turn {
    MoveTensors moves;
    at::Tensor starts, board;
    bool any_starts;
  };
  void lay_out_turns();
  void make_boards();

  const RecordedPlay& play_;
  int64_t count_, stride_, next_ = 0, seed_ = 0;
  double boards_due_ = 0;
  std::vector<Turn> turns_;
  std::vector<at::Tensor> first_, state_;  // at turn 0, and now
  at::Tensor seats_, target_, x_;          // every seat asks; random actions, the same in every turn
  ObservationTensors seen_;
  MoveTensors decoded_;  // not played: the recorded orders are
};

}  // namespace orbit

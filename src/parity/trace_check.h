// Plays a trace again and compares every state with the recorded one.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include "envs/orbit_wars/game_storage.h"
#include "envs/orbit_wars/step.h"
#include "src/parity/trace.h"

namespace orbit {

// One turn of one game by some executor, motion mode or device.
using PlayTurn = std::function<void(Game&, const Rules&, const Moves&, StepScratch&)>;

template <Motion M>
void play_turn_serial(Game& g, const Rules& rules, const Moves& moves, StepScratch& scratch) {
  advance<M>(Serial{}, g, rules, moves, scratch);
}

struct Difference {
  int32_t t;  // number of the state
  std::string field, expected, found;
};

struct TraceResult {
  int states = 0;                   // compared, state 0 of an episode included
  int mismatches = 0;               // of them
  double max_gap = 0;               // largest difference of a position or angle
  double max_relative_gap = 0;      // the same, divided by the size of the value
  std::optional<Difference> first;  // the first one
  bool bit_equal() const { return mismatches == 0 && max_gap == 0; }
};

// Positions may differ by this much (other C libraries, GPUs, fast motion); everything else must be equal.
constexpr double kPositionTolerance = 1e-9;

// Fleet slots that the trace needs, launches that die in the same turn included; a multiple of 16.
int fleet_capacity(const Trace& trace);

// State at the start: generated from the seed, or for a scenario as made by hand.
GameStorage start_of(const Trace& trace, int max_fleets);

// Moves of one turn in the layout of the rules.
class TurnMoves {
 public:
  TurnMoves(const TraceTurn& turn, int seats);
  Moves view() const { return {count_.data(), from_.data(), ships_.data(), angle_.data(), stride_}; }

 private:
  int32_t stride_ = 1;
  std::vector<int32_t> count_, from_, ships_;
  std::vector<double> angle_;
};

// Throws UserError where a move would make the official game raise.
TraceResult check_trace(const Trace& trace, const PlayTurn& play_turn);

}  // namespace orbit

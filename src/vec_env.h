// The environments of a run, stepped together: owner of the game state, the orders of the turn, and the rules of the task. All
// work is done by operators on tensors; nothing here looks at a value on the host.
#pragma once
#include <ATen/core/Tensor.h>
#include <cstdint>
#include <vector>
#include "extensions/ops.h"

namespace orbit {

struct VecEnvOptions {
  int64_t environments = 1;  // N
  int64_t max_fleets = kDefaultMaxFleets;
  GameRules rules;
  DecodeRules decode;
  int64_t history = 0;  // HistoryMode of the features
  ShapingWeights shaping;
  uint64_t seed = 0;
  at::Device device = at::kCPU;
  int threads = 0;  // that the games are shared out over; 0: as many as Torch has. They play the same with any number
};

// Reward of one step for the seats asked about, (N, R) each.
struct StepResult {
  at::Tensor reward;      // float32
  at::Tensor terminated;  // bool: the game ended with this step
  at::Tensor outcome;     // int32: +1 won, 0 shared, -1 lost, where terminated
};

class VecEnv {
 public:
  // bank: tensors of the board bank, in the order of bank_names().
  VecEnv(VecEnvOptions options, std::vector<at::Tensor> bank);

  const VecEnvOptions& options() const { return options_; }
  int64_t count() const { return options_.environments; }
  int64_t players() const { return options_.rules.seats; }

  // From now on games are drawn from the first `rows` boards of the bank alone (at first from all).
  void draw_from(int64_t rows) { drawn_rows_ = rows; }
  // Every environment begins a new game: on the next boards of its own sequence of draws, or on the given rows (N) int32.
  void start_games();
  void start_games(const at::Tensor& boards);
  // Games that have ended make room for the next ones.
  void restart_finished();

  // What the seats (N, R) int32 see now; written into out.
  void observe(const at::Tensor& seats, const ObservationTensors& out) const;
  // Orders of this turn: actions (N, R, P) of a policy, or a scripted opponent's (0 noop, 1 random, 2 starter).
  void order(const at::Tensor& seats, const at::Tensor& target, const at::Tensor& x);
  void order_scripted(const at::Tensor& seats, int64_t opponent);
  // Plays the turn with the orders given since the last one, and rewards the seats (N, R).
  void step(const at::Tensor& seats, const StepResult& result);

  at::Tensor running() const;            // (N) bool: the game has not ended
  const at::Tensor& turn() const { return turn_; }  // () int64: turns played since the run began
  int64_t refused_launches() const;      // since start_games(), for want of a free fleet slot
  double mean_fleets() const;            // in flight now, a game
  int64_t bytes() const;                 // of state and orders

  // What must be saved to go on exactly between iterations: turn and games begun.
  at::Tensor games_begun() const { return games_; }
  void restore(int64_t turn, const at::Tensor& games_begun);

 private:
  VecEnvOptions options_;
  std::vector<at::Tensor> bank_;
  int64_t drawn_rows_;
  std::vector<at::Tensor> state_;
  MoveTensors moves_;
  at::Tensor games_, board_, turn_;  // (N) int32 begun so far; (N) int32 next board; () int64
  at::Tensor all_;                   // (N) bool, true
  at::Tensor refused_;               // () int64, in games that have made room for others
};

}  // namespace orbit

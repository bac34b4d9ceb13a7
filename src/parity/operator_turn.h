// Plays a turn through the operators that training uses, so that a check of recorded games checks them too.
#pragma once
#include <ATen/core/Tensor.h>
#include <map>
#include <string>
#include <vector>
#include "envs/orbit_wars/state.h"
#include "envs/orbit_wars/scratch.h"

namespace orbit {

// The game's arrays become tensors, found by name, of a batch of one; after the step they are copied back. Exact motion.
class OperatorTurn {
 public:
  void operator()(Game& game, const Rules& rules, const Moves& moves, StepScratch&);

 private:
  void make_tensors(const Game& game, const Rules& rules);
  void copy_state(const Game& game, bool to_tensors);

  std::vector<at::Tensor> state_, bank_;
  std::map<std::string, at::Tensor> by_name_;  // of state_
  const double* board_ = nullptr;              // whose tensors these are
};

}  // namespace orbit

// What the stages of an iteration hand on: the rollout, and the advantages computed from it.
#pragma once
#include <ATen/core/Tensor.h>
#include <cstdint>

namespace orbit {

// T steps of R rows; a row is one learning seat of one environment (row = environment * seats + k). P planets, D features.
struct RolloutBatch {
  at::Tensor planets;      // (T, R, P, D) float32, the observation in which the action was chosen
  at::Tensor globals;      // (T, R, G) float32
  at::Tensor valid;        // (T, R, P) bool
  at::Tensor mine;         // (T, R, P) bool
  at::Tensor target;       // (T, R, P) int32
  at::Tensor x;            // (T, R, P) float32
  at::Tensor log_prob;     // (T, R) float32, of the action when it was drawn
  at::Tensor value;        // (T, R) float32
  at::Tensor reward;       // (T, R) float32, shaping and terminal reward of the step
  at::Tensor terminated;   // (T, R) bool: the game ended by its rules with this step
  at::Tensor truncated;    // (T, R) bool: cut by the horizon after this step
  at::Tensor final_value;  // (T, R) float32: value of the true last observation where truncated
  at::Tensor active;       // (T, R) bool: false where the slot idled after an early end (auto_reset false)
  at::Tensor outcome;      // (T, R) int32: +1 won, 0 drawn, -1 lost, where terminated

  // f(name, tensor) for every tensor, in the order above.
  template <class F>
  void for_each(F f) { visit(*this, f); }
  template <class F>
  void for_each(F f) const { visit(*this, f); }

  int64_t steps() const { return reward.size(0); }
  int64_t rows() const { return reward.size(1); }

 private:
  template <class Batch, class F>
  static void visit(Batch& b, F f) {
    f("planets", b.planets), f("globals", b.globals), f("valid", b.valid), f("mine", b.mine), f("target", b.target), f("x", b.x);
    f("log_prob", b.log_prob), f("value", b.value), f("reward", b.reward), f("terminated", b.terminated);
    f("truncated", b.truncated), f("final_value", b.final_value), f("active", b.active), f("outcome", b.outcome);
  }
};

struct Advantages {
  at::Tensor advantage;  // (T, R) float32, not normalised
  at::Tensor ret;        // (T, R) float32: advantage + value
};

}  // namespace orbit

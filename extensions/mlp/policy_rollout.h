// A rollout of small environments with a small network, played by one thread from its first to its last step without waiting for
// another: observe, act, step, and the value of the true last observation where an episode is cut.
#pragma once
#include <vector>
#include "extensions/env_table.h"
#include "extensions/mlp/mlp_tensors.h"

namespace orbit {

// What is written, T steps of N environments; see src/rollout_batch.h.
struct RolloutView {
  float* observation;             // (T, N, O)
  int64_t* chosen;                // (T, N, A) of choices
  float* number;                  // (T, N, A) of continuous actions
  float *log_prob, *value, *reward;  // (T, N)
  bool *terminated, *truncated;   // (T, N)
  float* final_value;             // (T, N)
  bool* goes_on;                  // (N)
  int64_t steps;                  // T
};

struct RolloutPlan {
  bool in_double;          // the environments' arithmetic
  bool bootstrap;          // cut episodes are worth the value of their last observation; else 0
  uint64_t seed;           // of the actions
  int64_t turn;            // of the first step; names draws
};

class PolicyRollout {
 public:
  PolicyRollout(const MlpView& view, const EnvFunctions& env, const EnvBatchView& batch, const RolloutView& out, const RolloutPlan& plan);
  // All steps of the environments begin .. end - 1.
  void play(int64_t begin, int64_t end) const;

 private:
  struct Scratch;
  // Runs the network on rows of observations, O numbers apart; f(row, outputs, value).
  template <class F>
  void predict(const float* observation, int64_t rows, Scratch& scratch, const F& f) const;
  void act(int64_t step, int64_t begin, int64_t end, Scratch& scratch) const;
  void keep_outcome(int64_t step, int64_t begin, int64_t end, Scratch& scratch) const;
  void finish(int64_t begin, int64_t end, Scratch& scratch) const;

  const MlpView& view_;
  const EnvFunctions& env_;
  const EnvBatchView& batch_;
  RolloutView out_;
  RolloutPlan plan_;
  std::vector<float> packed_;
  int64_t packed_at_[2], tile_at_[2], tile_floats_;
};

}  // namespace orbit

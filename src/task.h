// What is learned, as PPO sees it: rows of agents that observe, act and are rewarded. A row is one learning agent of one
// environment; whoever else plays, and how environments are kept, is the task's own affair.
#pragma once
#include <ATen/core/Tensor.h>
#include <cstdint>
#include <string>
#include <vector>

namespace orbit {

struct MlpTensors;    // extensions/mlp/mlp_tensors.h
struct RolloutBatch;  // src/rollout_batch.h

// A tensor that every row has: its name in checkpoints, its shape for one row, its dtype.
struct TensorSpec {
  std::string name;
  std::vector<int64_t> shape;
  at::ScalarType dtype = at::kFloat;
  // Only of observations: the name of a bool tensor of the observation, of this shape without its last dimension, that says
  // which entries exist (the rest is 0); "" where all do. Statistics of a feature (the last dimension) are taken over those.
  std::string exists;
  bool as_it_is = false;  // only of observations: never normalised
};

// Of one step, (R) each.
struct StepOutcome {
  at::Tensor reward;      // float32
  at::Tensor terminated;  // bool: the episode ended by its rules with this step
  at::Tensor truncated;   // bool: a limit that is no rule cut it after this step
  at::Tensor outcome;     // int32: +1 won, 0 shared, -1 lost, where terminated
};

// Everything below works on tensors at fixed addresses and never looks at a value on the host, since a step is captured.
class Task {
 public:
  virtual ~Task() = default;
  virtual int64_t rows() const = 0;  // R
  virtual at::Device device() const = 0;
  virtual std::vector<TensorSpec> observation() const = 0;
  virtual std::vector<TensorSpec> action() const = 0;
  // The most often that one row can be truncated within so many steps by anything but the end of the rollout.
  virtual int64_t truncations_within(int64_t /*steps*/) const { return 0; }

  // Do episodes go on from one rollout to the next? Else every rollout begins new ones.
  virtual bool continues() const { return false; }

  virtual void begin_rollout() = 0;
  virtual void observe(at::TensorList out) = 0;       // (R, ...) in the order of observation()
  virtual void active(const at::Tensor& out) = 0;     // (R) bool: the row takes part in this step
  // Plays a step and makes room for the next episode where one ended. final_observation: what each row saw last, before that;
  // written where truncations_within() is not 0.
  virtual void step(at::TensorList action, const StepOutcome& out, at::TensorList final_observation) = 0;
  // Plays a whole rollout at once with a policy that fused operators know: the same as step by step, to rounding. goes_on (R) bool: the
  // row's episode continues in the next one. False, and nothing done, where the task has no such operator.
  virtual bool play(const MlpTensors& /*policy*/, uint64_t /*seed*/, bool /*bootstrap_truncated*/, const RolloutBatch& /*out*/,
                    const at::Tensor& /*goes_on*/) {
    return false;
  }
  virtual const at::Tensor& turn() const = 0;         // () int64: steps since the run began; names random draws
};

}  // namespace orbit

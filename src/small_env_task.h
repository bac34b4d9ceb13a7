// A small environment (envs/common/env_contract.h) as a task: a row is an environment. Episodes go on from one rollout to the next.
#pragma once
#include <string>
#include <vector>
#include "extensions/env_batch.h"
#include "src/task.h"

namespace orbit {

struct SmallEnvOptions {
  std::string name;
  int64_t environments = 1;  // N
  bool in_double = false;
  uint64_t seed = 0;
  int64_t first = 0;        // number of the first environment; names its draws
  int64_t time_limit = -1;  // steps; -1: the environment's own, 0: none
  at::Device device = at::kCPU;
};

class SmallEnvTask final : public Task {
 public:
  // Throws c10::Error for a name that find_env does not know. The environments are at the start of their first episodes.
  explicit SmallEnvTask(SmallEnvOptions options);

  int64_t rows() const override { return options_.environments; }
  at::Device device() const override { return options_.device; }
  std::vector<TensorSpec> observation() const override { return seen(env_); }
  static std::vector<TensorSpec> seen(const EnvTable& env);  // "observation" (D) float32
  std::vector<TensorSpec> action() const override;       // "action" (A): int64 of choices, float32 of continuous ones
  int64_t truncations_within(int64_t steps) const override;
  bool continues() const override { return true; }

  void begin_rollout() override { batch_[kEnvTotals].zero_(); }  // they count the rollout's episodes
  void observe(at::TensorList out) override { out[0].copy_(batch_[kEnvObservation]); }
  void active(const at::Tensor& out) override { out.fill_(true); }
  void step(at::TensorList action, const StepOutcome& out, at::TensorList final_observation) override;
  bool play(const MlpTensors& policy, uint64_t seed, bool bootstrap_truncated, const RolloutBatch& out, const at::Tensor& goes_on) override;
  const at::Tensor& turn() const override { return turn_; }

  // All environments at the start of their first episodes, as after construction.
  void restart();
  const EnvTable& env() const { return env_; }
  // All that lives between steps, by the names of env_batch_names(), and turn(): what a resume must restore by copying into it.
  const std::vector<at::Tensor>& batch() const { return batch_; }
  // A line for each environment with numbers that can't be used, its name and number in it; waits for the device, so once an
  // iteration.
  std::vector<std::string> faults() const { return env_faults(env_, batch_[kEnvFault], options_.first); }

 private:
  SmallEnvOptions options_;
  const EnvTable& env_;
  std::vector<at::Tensor> batch_;
  at::Tensor turn_;  // () int64
};

}  // namespace orbit

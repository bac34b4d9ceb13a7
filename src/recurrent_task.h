// A task whose agents remember: any task, with what a recurrent policy carries from step to step beside it. The memory is one more
// thing that a row observes, and one more thing that its action decides; so a rollout, its last observations and a checkpoint hold
// it like everything else. It is 0 where an episode begins.
#pragma once
#include "src/policy/actor_critic.h"
#include "src/task.h"

namespace orbit {

class RecurrentTask final : public Task {
 public:
  // task: must outlive this object. width: M numbers of memory a row.
  RecurrentTask(Task& task, int64_t width);

  std::vector<TensorSpec> observation() const override { return seen(task_.observation(), memory_.size(1)); }
  // Those of the task, then "memory" (M) float32 and "begins" () bool: this is the first step of an episode.
  static std::vector<TensorSpec> seen(std::vector<TensorSpec> of_task, int64_t width);
  // Those of the task, then "memory" (M) float32: of the next step.
  std::vector<TensorSpec> action() const override;
  int64_t rows() const override { return task_.rows(); }
  at::Device device() const override { return task_.device(); }
  int64_t truncations_within(int64_t steps) const override { return task_.truncations_within(steps); }
  bool continues() const override { return task_.continues(); }

  void begin_rollout() override;
  void observe(at::TensorList out) override;
  void active(const at::Tensor& out) override { task_.active(out); }
  void step(at::TensorList action, const StepOutcome& out, at::TensorList final_observation) override;
  const at::Tensor& turn() const override { return task_.turn(); }

  void forget();  // all rows begin an episode
  std::vector<NamedTensor> state() const { return {{"memory", memory_}, {"begins", begins_}}; }

 private:
  Task& task_;
  at::Tensor memory_;  // (R, M)
  at::Tensor begins_;  // (R) bool
};

}  // namespace orbit

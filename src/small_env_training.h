// A small environment as what a run trains on: episodes go on over rollouts, are counted as they end, and a greedy episode in each
// of some further environments is its evaluation.
#pragma once
#include <optional>
#include "src/eval/episode_evaluation.h"
#include "src/recurrent_task.h"
#include "src/small_env_task.h"
#include "src/training_task.h"

namespace orbit {

class SmallEnvTraining final : public TrainingTask {
 public:
  explicit SmallEnvTraining(const Config& config);

  Task& task() override { return recurrent_ ? static_cast<Task&>(*recurrent_) : task_; }
  std::vector<NamedTensor> state() const override;
  bool begin_rollout(TrainState&) override { return false; }
  void end_rollout() override;
  void describe(IterationReport& row) const override;
  EvaluationReport evaluate(std::shared_ptr<const Policy> policy, const std::function<bool()>& stop) override;
  std::vector<MemorySize> sizes() const override;

 private:
  SmallEnvTask task_;
  std::optional<RecurrentTask> recurrent_;  // around it, for a policy with a memory
  std::unique_ptr<EpisodeEvaluation> evaluation_;
};

}  // namespace orbit

// Orbit Wars as what a run trains on: boards from a growing supply, an opponent a stage, matches as evaluation.
#pragma once
#include "src/board_supply.h"
#include "src/eval/evaluation.h"
#include "src/orbit_task.h"
#include "src/training_task.h"
#include "src/vec_env.h"

namespace orbit {

class OrbitTraining final : public TrainingTask {
 public:
  explicit OrbitTraining(const Config& config);

  Task& task() override { return task_; }
  std::vector<NamedTensor> state() const override;
  bool begin_rollout(TrainState& state) override;
  void end_rollout() override { refused_launches_.fill_(env_.refused_launches()); }
  void describe(IterationReport& row) const override;
  void end_iteration(TrainState& state, IterationReport& row) override;
  EvaluationReport evaluate(std::shared_ptr<const Policy> policy, const std::function<bool()>& stop) override;
  std::vector<MemorySize> sizes() const override;

  double mean_fleets() const { return env_.mean_fleets(); }  // in flight now, a game

 private:
  Config config_;
  BoardSupply boards_;
  VecEnv env_;
  OrbitTask task_;
  at::Tensor refused_launches_;  // () int64, in the last rollout
  std::unique_ptr<Player> opponent_;
  std::string stage_;         // the opponent's name
  int64_t boards_drawn_ = 0;  // how many boards games are drawn from
  std::unique_ptr<Evaluation> evaluation_;
};

}  // namespace orbit

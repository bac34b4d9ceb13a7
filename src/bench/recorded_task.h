// Orbit Wars as a task whose games are recorded ones: the policy observes, decides, and its actions become orders, but those of the
// recording are played. So rollouts and updates can be measured under a load that is known, whatever the weights.
#pragma once
#include "src/bench/lockstep.h"
#include "src/config/config.h"
#include "src/league/player.h"
#include "src/task.h"

namespace orbit {

class RecordedTask final : public Task {
 public:
  // As many games, seats that learn, and rules of orders and rewards as the config says. play must outlive it and have the config's
  // number of players.
  RecordedTask(const Config& config, const RecordedPlay& play);

  int64_t rows() const override { return own_.numel(); }
  at::Device device() const override { return at::kCPU; }
  std::vector<TensorSpec> observation() const override;
  std::vector<TensorSpec> action() const override;
  bool continues() const override { return true; }
  void begin_rollout() override {}
  void observe(at::TensorList out) override;
  void active(const at::Tensor& out) override;
  void step(at::TensorList action, const StepOutcome& out, at::TensorList final_observation) override;
  const at::Tensor& turn() const override { return turn_; }

  double mean_fleets() const { return games_.mean_fleets(); }  // in flight now, a game

 private:
  at::Tensor by_environment(const at::Tensor& rows) const { return rows.unflatten(0, {own_.size(0), -1}); }

  Lockstep games_;
  VecEnvOptions rules_;
  at::Tensor own_;       // (N, k) int32 seats that learn
  MoveTensors decoded_;  // the policy's orders, which are not played
  at::Tensor standing_;  // (N, k, columns) before the turn
  at::Tensor playing_;   // (N) bool, true
  at::Tensor turn_;      // () int64
};

}  // namespace orbit

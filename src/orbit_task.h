// Orbit Wars as a task: games in parallel, one or all of their seats learn, an opponent gives orders for the others.
#pragma once
#include "src/league/player.h"
#include "src/task.h"
#include "src/vec_env.h"

namespace orbit {

class OrbitTask final : public Task {
 public:
  // seating.own (N, k): the seats that learn, row = environment * k + i. auto_reset: a game that ended early makes room for
  // the next; else its slot idles for the rest of the rollout.
  OrbitTask(VecEnv& env, Seating seating, bool auto_reset) : env_(env), seating_(std::move(seating)), auto_reset_(auto_reset) {}

  // Who plays the other seats: null where all learn. It must outlive its use.
  void set_opponent(Player* opponent) { opponent_ = opponent; }

  int64_t rows() const override { return seating_.own.numel(); }
  at::Device device() const override { return seating_.own.device(); }
  std::vector<TensorSpec> observation() const override { return seen(); }
  static std::vector<TensorSpec> seen();  // what every row observes: PolicyInput
  std::vector<TensorSpec> action() const override { return decided(); }
  static std::vector<TensorSpec> decided();  // and does

  void begin_rollout() override { env_.start_games(); }
  void observe(at::TensorList out) override;
  void active(const at::Tensor& out) override;
  void step(at::TensorList action, const StepOutcome& out, at::TensorList final_observation) override;
  const at::Tensor& turn() const override { return env_.turn(); }

 private:
  at::Tensor by_environment(const at::Tensor& rows) const { return rows.unflatten(0, {env_.count(), -1}); }

  VecEnv& env_;
  Seating seating_;
  bool auto_reset_;
  Player* opponent_ = nullptr;
};

}  // namespace orbit

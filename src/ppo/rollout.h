// Collecting experience: T steps in every environment with the present policy.
#pragma once
#include <functional>
#include "src/league/player.h"
#include "src/rollout_batch.h"

namespace orbit {

struct RolloutOptions {
  int64_t horizon = 500;
  bool auto_reset = true;          // a game that ended early makes room for the next; else its slot idles
  bool bootstrap_truncated = true;  // value of the last observation where the horizon cuts a game; else 0
  uint64_t seed = 0;
};

// Seconds spent in the environment (orders, steps, features, rewards) and in the network with sampling.
struct RolloutTimes {
  double environment = 0, inference = 0;
};

class Rollout {
 public:
  // Learning seats (N, R); the others are the opponent's, none in self-play.
  Rollout(RolloutOptions options, at::Tensor learning_seats, at::Tensor other_seats);

  // Starts new games and plays the horizon. The batch is reused by the next call. Returns false, with nothing of use in the
  // batch, when stop() asked to end early.
  bool collect(const Policy& policy, VecEnv& env, Player* opponent, const std::function<bool()>& stop, RolloutBatch& batch);

  const RolloutTimes& times() const { return times_; }  // of the last call

 private:
  void play_step(int64_t t, const Policy& policy, VecEnv& env, Player* opponent, RolloutBatch& batch);
  void cut_at_horizon(const Policy& policy, VecEnv& env, RolloutBatch& batch);

  RolloutOptions options_;
  at::Tensor learning_seats_, other_seats_, agents_;
  RolloutTimes times_;
};

// Buffers of a rollout: T steps, N environments, R learning seats each.
RolloutBatch make_rollout_batch(int64_t steps, int64_t environments, int64_t seats, at::Device device);
int64_t bytes_of(const RolloutBatch& batch);

}  // namespace orbit

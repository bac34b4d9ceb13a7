// All that lives through a run: what a checkpoint holds, together with the middle of an iteration if it was stopped there.
#pragma once
#include <limits>
#include <memory>
#include <string>
#include <vector>
#include "src/league/opponent_pool.h"
#include "src/ppo/adamw.h"
#include "src/ppo/reward_norm.h"
#include "src/ppo/update.h"
#include "src/rollout_batch.h"

namespace orbit {

struct TrainState {
  std::shared_ptr<Policy> policy;
  std::shared_ptr<Policy> reference;  // copy of the start weights: what KL is measured against, and the opponent self_snapshot
  std::unique_ptr<OpponentPool> pool;  // null where no opponent is pool
  std::unique_ptr<AdamW> optimizer;
  std::unique_ptr<RewardNorm> reward_norm;  // null where rewards are taken as they are
  int64_t iteration = 0;  // the one to do, or in the middle of which the run stands
  int64_t samples = 0;    // learned from so far
  double best_score = -std::numeric_limits<double>::infinity();
  std::string best_stage;  // what best_score was measured on: scores against other opponents do not compare
  int64_t setbacks = 0;    // iterations in a row that diverged

  // As they were when the iteration began, so that its rollout can be repeated, and what its updates may spoil.
  std::vector<NamedTensor> task;       // copies of TrainingTask::state()
  std::vector<at::Tensor> last_good;   // copies of learned()

  UpdateProgress updates;  // under way: the rollout that they learn from belongs to the state

  explicit TrainState(at::Device device) : updates(device) {}

  // Every tensor that learning changes, always in the same order.
  std::vector<at::Tensor> learned() const;
  void remember();   // learned() -> last_good
  void roll_back();   // last_good -> learned()
};

}  // namespace orbit

// All that lives through a run: what a checkpoint holds, together with the middle of an iteration if it was stopped there.
#pragma once
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include "src/ppo/adamw.h"
#include "src/ppo/update.h"
#include "src/rollout_batch.h"

namespace orbit {

struct TrainState {
  std::shared_ptr<Policy> policy;
  std::shared_ptr<Policy> reference;  // frozen copy of the start weights: KL anchor and opponent self_snapshot
  std::unique_ptr<AdamW> optimizer;
  int64_t iteration = 0;  // the one to do, or in the middle of which the run stands
  int64_t samples = 0;    // learned from so far
  double best_score = -std::numeric_limits<double>::infinity();
  std::string best_stage;  // what best_score was measured on: scores against other opponents do not compare

  // As they were when the iteration began, so that its rollout can be repeated.
  int64_t turn = 0;
  at::Tensor games_begun;  // (N) int32

  // Set while the updates of an iteration are under way: the rollout they learn from and how far they are.
  std::optional<UpdateProgress> updates;
  int64_t refused_launches = 0;  // in that rollout
};

}  // namespace orbit

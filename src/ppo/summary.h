// What happened in an iteration, as plain numbers. Computed after the fact from the batch, outside the hot functions.
#pragma once
#include <cstdint>
#include "src/ppo/update.h"
#include "src/rollout_batch.h"

namespace orbit {

struct RolloutSummary {
  int64_t samples = 0;          // states learned from: active rows
  int64_t episodes = 0;         // games that ended, and those cut by the horizon
  int64_t finished = 0;         // games that ended by their rules
  double episode_return = 0;    // mean over episodes
  double episode_length = 0;    // mean over episodes, steps within the iteration
  bool has_winners = true;      // else the rates mean nothing
  double win_rate = 0, draw_rate = 0;  // of finished games, from the learning seats' side
  double explained_variance = 0;  // 1 - Var(R - V) / Var(R)
};
RolloutSummary summarize(const RolloutBatch& batch, const Advantages& advantages);

struct UpdateSummary {
  double policy_loss = 0, value_loss = 0, entropy = 0, kl = 0, approx_kl = 0, clip_fraction = 0, grad_norm = 0;  // means
  int64_t updates = 0;  // applied
  bool diverged = false;
  double diverged_loss = 0;
};
UpdateSummary summarize(const UpdateProgress& progress);

}  // namespace orbit

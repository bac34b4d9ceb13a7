// Generalised advantage estimation (Schulman et al. 2016), one column (environment and seat) at a time. Torch-free.
#pragma once
#include "envs/common/host_device.h"

namespace orbit {

// (T, R) row-major, column `column` is walked from the last step back.
struct GaeInput {
  const float* reward;
  const float* value;        // V(s_t)
  const float* final_value;  // where truncated: V of the true last observation; ignored elsewhere
  const uint8_t* terminated;  // the episode ended by its own rules with this step: no future
  const uint8_t* truncated;   // it was cut after this step: the future is worth final_value. terminated wins if both are set
  int64_t steps, rows;
  float gamma, lambda;
};

// delta_t = r_t + gamma V(s_{t+1}) - V(s_t);  A_t = delta_t + gamma lambda A_{t+1} within an episode;  R_t = A_t + V(s_t).
ORBIT_FN void gae_column(const GaeInput& in, int64_t column, float* advantage, float* ret) {
  float next_value = 0, next_advantage = 0;
  for (int64_t t = in.steps - 1; t >= 0; --t) {
    const int64_t at = t * in.rows + column;
    if (in.terminated[at]) {
      next_value = next_advantage = 0;
    } else if (in.truncated[at]) {
      next_value = in.final_value[at];
      next_advantage = 0;
    }
    const float delta = in.reward[at] + in.gamma * next_value - in.value[at];
    next_advantage = delta + in.gamma * in.lambda * next_advantage;
    next_value = in.value[at];
    advantage[at] = next_advantage;
    ret[at] = next_advantage + in.value[at];
  }
}

}  // namespace orbit

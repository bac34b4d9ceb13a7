// What the outputs of a policy's network mean, as plain pointers: a logit for each choice, or means of Gaussians, and one value.
// Torch-free. The distributions are those of src/policy/mlp_actions.h.
#pragma once
#include <cstdint>

namespace orbit {

struct PolicyHead {
  int64_t numbers = 0;                        // A of an action
  const int64_t* choices = nullptr;           // (A) how many each has; nullptr: the numbers are continuous
  int64_t outputs = 0;                        // logits or means; the value stands behind them
  const float* log_std = nullptr;             // (A)
  const double *low = nullptr, *high = nullptr;  // (A) of squashed Gaussians; nullptr: plain ones
};

constexpr double kSquashedLimit = 1.0 - 1e-6;  // kSquashLimit of mlp_actions.h

// The action's place in its range, -1 to 1: tanh of the Gaussian's number.
inline double squashed_place(const PolicyHead& head, int64_t a, double action) {
  const double y = (action - head.low[a]) * 2.0 / (head.high[a] - head.low[a]) - 1.0;
  return y < -kSquashedLimit ? -kSquashedLimit : y > kSquashedLimit ? kSquashedLimit : y;
}

}  // namespace orbit

// Reward normalisation: rewards are divided by the standard deviation of the discounted sum of rewards so far, and clamped. No
// mean is taken off, which would change what is best.
#pragma once
#include "src/policy/actor_critic.h"
#include "src/rollout_batch.h"
#include "src/running_moments.h"

namespace orbit {

class RewardNorm {
 public:
  RewardNorm(int64_t rows, double gamma, at::Device device);

  // Adds the discounted sums G_t = r_t + gamma G_{t-1} of a rollout, begun anew after an episode's end. goes_on (R) bool: the
  // row's episode continues in the next rollout.
  void add(const RolloutBatch& batch, const at::Tensor& goes_on);
  at::Tensor normalise(const at::Tensor& reward) const;  // (T, R) float32

  // By name, for checkpoints; they share storage.
  std::vector<NamedTensor> state() const;

 private:
  double gamma_;
  at::Tensor running_;  // (R) float32: G of the step before the next rollout
  RunningMoments moments_;
};

}  // namespace orbit

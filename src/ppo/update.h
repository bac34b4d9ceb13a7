// Epochs of minibatches over a rollout.
#pragma once
#include <functional>
#include "src/ppo/adamw.h"
#include "src/ppo/loss.h"
#include "src/rollout_batch.h"

namespace orbit {

struct UpdateOptions {
  int64_t epochs = 2, minibatch_size = 256;
  LossCoefficients loss;
  double target_kl = 0;           // after a minibatch whose approx_kl exceeds it, the rest are no-ops; 0: off
  bool normalise_minibatch = false;  // advantages are normalised within each minibatch instead of beforehand
  uint64_t seed = 0;
};

// Sums over the minibatches that were applied; the columns of UpdateProgress::sums.
enum UpdateSum { kPolicyLoss, kValueLoss, kEntropy, kKl, kApproxKl, kClipFraction, kGradNorm, kApplied, kUpdateSums };

// How far the updates of an iteration are: all that must be saved to go on exactly in the middle of them.
struct UpdateProgress {
  int64_t epoch = 0, minibatch = 0;  // the next one to do
  at::Tensor sums;                   // (kUpdateSums) float64
  at::Tensor stopped;                // () float32: 1 once target_kl was exceeded
};
UpdateProgress begin_updates(at::Device device);

class Update {
 public:
  // reference: null where kl_beta is 0. All must outlive this object.
  Update(UpdateOptions options, const Policy& policy, const Policy* reference, AdamW& optimizer);

  // Does the minibatches that are left. advantage (T, R) as the loss shall see it. Returns false if stop() said so in between;
  // progress then points at the next minibatch.
  bool run(const RolloutBatch& batch, const at::Tensor& advantage, const at::Tensor& ret, int64_t iteration,
           const std::function<bool()>& stop, UpdateProgress& progress);

 private:
  struct Flat;  // the rollout with T and R as one dimension
  void apply(const Flat& flat, const at::Tensor& index, int64_t real, UpdateProgress& progress);

  UpdateOptions options_;
  const Policy& policy_;
  const Policy* reference_;
  AdamW& optimizer_;
};

// The numbers 0 to n - 1 in an order drawn for (seed, iteration, epoch), int64.
std::vector<int64_t> permutation(int64_t n, uint64_t seed, int64_t iteration, int64_t epoch);

}  // namespace orbit

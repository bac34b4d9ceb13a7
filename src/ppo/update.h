// Epochs of minibatches over a rollout.
#pragma once
#include <functional>
#include "src/captured_step.h"
#include "src/ppo/adamw.h"
#include "src/ppo/loss.h"
#include "src/ppo/rollout.h"
#include "src/rollout_batch.h"

namespace orbit {

struct UpdateOptions {
  int64_t epochs = 2, minibatch_size = 256;
  int64_t accumulation = 1;          // parts that a minibatch is computed in, one behind the other; it is a multiple of them
  int64_t sequence_length = 1;       // a minibatch is made of so many steps of a row in order each; divides the steps of a rollout
  LossOptions loss;
  double target_kl = 0;              // after a minibatch whose approx_kl exceeds it, the rest are no-ops; 0: off
  bool normalise_minibatch = false;  // advantages are normalised within each minibatch instead of beforehand
  std::optional<double> reference_decay;  // the reference follows the policy: ref = d ref + (1 - d) policy after a step; absent: frozen
  double loss_limit = 1e6;           // a larger loss counts as diverged, as one that is not finite does
  uint64_t seed = 0;
};

// Sums over the minibatches that were applied; the columns of UpdateProgress::sums.
enum UpdateSum { kPolicyLoss, kValueLoss, kEntropy, kKl, kApproxKl, kClipFraction, kGradNorm, kApplied, kUpdateSums };

// How far the updates of an iteration are: all that must be saved to go on exactly in the middle of them. The tensors stay where
// they are for the whole run.
struct UpdateProgress {
  explicit UpdateProgress(at::Device device);
  void begin();

  bool under_way = false;
  int64_t epoch = 0, minibatch = 0;  // the next one to do
  at::Tensor sums;                   // (kUpdateSums) float64
  at::Tensor stopped;                // () float32: 1 once target_kl was exceeded or the loss diverged; what follows is a no-op
  at::Tensor diverged;               // (2) float32: 1 where the loss or its gradient was not finite or passed loss_limit, and that loss
};

class Update {
 public:
  // reference: null where there is no KL term. All must outlive this object.
  Update(UpdateOptions options, const Policy& policy, const Policy* reference, AdamW& optimizer, const RolloutBatch& batch,
         UpdateProgress& progress, const MakeBackend& make_backend);

  // Does the minibatches that are left. advantage (T, R) as the loss shall see it. Returns false if stop() said so in between;
  // progress then points at the next minibatch.
  bool run(const at::Tensor& advantage, const at::Tensor& ret, int64_t iteration, const std::function<bool()>& stop);

  // Those that the next minibatch uses.
  LossCoefficients coefficients() const { return coefficients_at(options_.loss, optimizer_.steps_done()); }

 private:
  void apply_minibatch();
  Minibatch present_minibatch() const;
  at::Tensor order_of_epoch(const at::Tensor& active, int64_t iteration) const;
  // Both leave the gradient in the parameters and the loss in terms_.
  void compute_gradient();
  void compute_fused_gradient();

  UpdateOptions options_;
  const Policy& policy_;
  const Policy* reference_;
  AdamW& optimizer_;
  UpdateProgress& progress_;
  const MlpTensors* network_ = nullptr;  // a policy that fused operators know; null: autograd
  std::vector<at::Tensor> gradients_;    // the network's, as they write them
  LossCoefficients coefficients_;        // of the present minibatch
  at::Tensor terms_, skip_;              // (kLossTerms) and () float32 of the present minibatch

  int64_t steps_, rows_;  // T, R
  // The rollout with T and R as one dimension, and which of its rows the present minibatch takes.
  std::vector<at::Tensor> observation_, action_;
  at::Tensor log_prob_, value_, active_, advantage_, ret_;
  at::Tensor order_;     // (whole minibatches) int64: rows that count in the order of this epoch, padded with row 0
  at::Tensor position_;  // () int64: the minibatch to do
  at::Tensor count_;     // () int64: rows that count
  at::Tensor offsets_;   // (B) int64: 0 .. B - 1
  std::unique_ptr<CapturedStep> step_;
};

}  // namespace orbit

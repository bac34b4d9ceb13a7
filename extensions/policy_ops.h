// Typed calls of the operators that act and learn, for C++: as ops.h, for those that know policies. registration.cpp says what each does.
#pragma once
#include <ATen/core/Tensor.h>
#include <optional>
#include <string>
#include "extensions/adamw.h"
#include "extensions/minibatch_record.h"
#include "extensions/mlp/mlp_tensors.h"
#include "extensions/schedule.h"

namespace orbit {

// M rows of a rollout.
struct PpoRows {
  at::Tensor observation, action;                // (M, O) float32, (M, A) int64 or float32
  at::Tensor log_prob, value, advantage, ret;    // (M) float32
};
struct PpoChoice {
  at::Tensor order;            // (whole minibatches) int64 rows
  at::Tensor position, count;  // () int64: the minibatch to take, and how many rows of order count
  int64_t minibatch_size = 1;
  bool normalise_advantage = false;
};
struct PpoObjective {
  at::Tensor clip_eps, entropy_coef;  // () float32
  double value_coef = 0.5;
  std::optional<double> value_clip_eps;
};

// What env_rollout_ writes, T steps of N environments; see src/rollout_batch.h.
struct RolloutTensors {
  at::Tensor observation, action;      // (T, N, O) float32, (T, N, A) int64 or float32
  at::Tensor log_prob, value, reward;  // (T, N) float32
  at::Tensor terminated, truncated;    // (T, N) bool
  at::Tensor final_value;              // (T, N) float32
  at::Tensor goes_on;                  // (N) bool
};

namespace ops {

// gradients: of each weight, then of log_std; overwritten. terms (kLossTerms) float32.
void ppo_gradient_(const MlpTensors& policy, const PpoRows& rows, const PpoChoice& choice, const PpoObjective& objective,
                   at::TensorList gradients, const at::Tensor& terms);
// steps_done, scale, value () float32; scale may be undefined.
void schedule_(const Schedule& schedule, const at::Tensor& steps_done, const at::Tensor& scale, const at::Tensor& value);
// norm () float32: before. CPU.
void clip_gradients_(at::TensorList gradients, double max_norm, const at::Tensor& norm);
// lr, skip () float32. CPU.
void adamw_(at::TensorList parameters, at::TensorList gradients, at::TensorList exp_avg, at::TensorList exp_avg_sq, at::TensorList steps,
            const at::Tensor& lr, const at::Tensor& skip, const AdamWStep& step);
void judge_minibatch_(const at::Tensor& terms, const at::Tensor& norm, const at::Tensor& stopped, double loss_limit, const at::Tensor& skip);
void record_minibatch_(const at::Tensor& terms, const at::Tensor& norm, const at::Tensor& skip, double target_kl, const at::Tensor& sums,
                       const at::Tensor& stopped, const at::Tensor& diverged, const at::Tensor& position);
void env_rollout_(const std::string& env, at::TensorList batch, uint64_t env_seed, int64_t first, int64_t time_limit, const MlpTensors& policy,
                  uint64_t seed, const at::Tensor& turn, bool bootstrap, const RolloutTensors& out);

}  // namespace ops
}  // namespace orbit

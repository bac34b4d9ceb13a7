// The PPO objective (Schulman et al. 2017, equation 9) with a KL term to a reference:
//   loss = -mean(min(r A, clip(r, 1 - eps, 1 + eps) A)) + c_v mean((V - R)^2) - c_e mean(entropy) + beta mean(KL(pi || pi_ref))
#pragma once
#include <optional>
#include "extensions/schedule.h"
#include "src/policy/actor_critic.h"

namespace orbit {

struct Minibatch {
  std::vector<at::Tensor> observation, action;  // (B, ...) what was seen, what was done
  at::Tensor old_log_prob;   // (B) when it was done
  at::Tensor old_value;      // (B)
  at::Tensor advantage;      // (B) normalised
  at::Tensor ret;            // (B)
  at::Tensor weight;         // (B) 1 / number of real states, 0 on padding: a mean is a sum of weight * term
  int64_t sequence_length = 1;  // rows are sequences of so many steps of one agent each, one behind the other
};

struct LossOptions {
  Schedule clip_eps{0.2}, entropy_coef{0.001}, kl_beta{0.0};
  double value_coef = 0.5;
  // The value may move this far from the old one before its loss stops falling: mean(max((V - R)^2, (clip(V) - R)^2)). Absent:
  // as far as it likes.
  std::optional<double> value_clip_eps;
};

// The coefficients after so many optimizer steps; () float32 each.
struct LossCoefficients {
  at::Tensor clip_eps, entropy_coef, kl_beta;
};
LossCoefficients coefficients_at(const LossOptions& options, const at::Tensor& steps_done);
// Of later ones: those without a schedule stay as they are.
void update_coefficients(const LossCoefficients& coefficients, const LossOptions& options, const at::Tensor& steps_done);

struct LossTerms {
  at::Tensor total;          // ()
  at::Tensor policy_loss, value_loss, entropy, kl;  // () means, before their coefficients
  at::Tensor approx_kl;      // () mean(old - new log-probability)
  at::Tensor clip_fraction;  // () mean(|r - 1| > eps)
};

// reference: null where there is no KL term.
LossTerms ppo_loss(const Policy& policy, const Policy* reference, const Minibatch& batch, const LossOptions& options,
                   const LossCoefficients& coefficients);

}  // namespace orbit

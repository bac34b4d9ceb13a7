// The PPO objective (Schulman et al. 2017, equation 9) with a KL term to a frozen reference:
//   loss = -mean(min(r A, clip(r, 1 - eps, 1 + eps) A)) + c_v mean((V - R)^2) - c_e mean(entropy) + beta mean(KL(pi || pi_ref))
#pragma once
#include "src/policy/action_dist.h"

namespace orbit {

struct Minibatch {
  PolicyInput input;         // B states
  at::Tensor target, x;      // (B, P) the actions taken
  at::Tensor old_log_prob;   // (B) when they were taken
  at::Tensor advantage;      // (B) normalised
  at::Tensor ret;            // (B)
  at::Tensor weight;         // (B) 1 / number of real states, 0 on padding: a mean is a sum of weight * term
};

struct LossCoefficients {
  double clip_eps = 0.2, value_coef = 0.5, entropy_coef = 0.001, kl_beta = 0.0;
};

struct LossTerms {
  at::Tensor total;          // ()
  at::Tensor policy_loss, value_loss, entropy, kl;  // () means, before their coefficients
  at::Tensor approx_kl;      // () mean(old - new log-probability)
  at::Tensor clip_fraction;  // () mean(|r - 1| > eps)
};

// reference: null where kl_beta is 0.
LossTerms ppo_loss(const Policy& policy, const Policy* reference, const Minibatch& batch, const LossCoefficients& c);

}  // namespace orbit

// Holds orbit_v1, its action distribution, the PPO loss, gradients and an optimizer step against a case that PyTorch wrote.
#pragma once
#include <vector>

#include "src/parity/parity_case.h"

namespace orbit {

// What a case is: a dict in a .pt file with the entries of tests/data/features/policy.pt (its README describes them).
//   config (hidden, heads, inducing, layers, no_op_bias), state_dict, planet, global, valid, mine; expected: logits, ship_mean,
//   value. Optional, each with what it needs:
//   target, x -> log_prob, entropy;  greedy_argmax;  greedy_fire;  ref_state_dict -> kl (of each state);
//   ref_state_dict, loss -> loss.out_*;  grad;  step (lr, weight_decay, max_grad_norm) -> grad_norm, state_dict,
//   clipped (gradients after clipping);
//   tolerance: a dict that replaces some of the tolerances below.
struct PolicyTolerances {
  double forward = 1e-5;         // ship_mean, value, and logits in units of max(1, largest expected)
  double score = 1e-4;           // log_prob (it reaches hundreds), entropy
  double loss = 1e-4;
  double gradient = 2e-3;        // absolute, plus
  double gradient_relative = 0;  // this times the largest of the tensor
  double grad_norm = 1e-4;       // relative
  double step = 1e-6;            // where |clipped gradient| > 1e-4: elsewhere Adam's first step is the sign of rounding noise
};

// One comparison a tensor. Of a TorchScript module the outputs alone.
std::vector<Comparison> check_policy(const ParityCase& policy_case, const CaseOptions& options);

}  // namespace orbit

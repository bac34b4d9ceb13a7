// A recurrent policy: what is observed goes through a layer into a gated recurrent unit (Cho et al. 2014), whose state acts and
// values. For tasks of which one observation does not tell all. Played through a RecurrentTask, which keeps the states.
#pragma once
#include "src/policy/mlp_policy.h"

namespace orbit {

struct RnnPolicyConfig {
  int64_t hidden = 64;  // width of the layer before the unit
  int64_t memory = 64;  // width of the unit's state
  Activation activation = Activation::kTanh;
  bool orthogonal = true;
  double log_std_init = 0.0;
  bool squash = false;
};

// Observes (B, observation_size), memory (B, M) and begins (B) bool; its action is the space's and the next memory.
// src/policy/README.md shows the PyTorch module of the same names.
std::unique_ptr<Policy> make_rnn_policy(const RnnPolicyConfig& config, const ActionSpace& space, int64_t observation_size, uint64_t seed,
                                        at::Device device);

}  // namespace orbit

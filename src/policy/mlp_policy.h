// A multi-layer perceptron that acts and values: the network of classic control and robotics.
#pragma once
#include "src/policy/action_space.h"
#include "src/policy/activation.h"
#include "src/policy/actor_critic.h"

namespace orbit {

struct MlpPolicyConfig {
  std::vector<int64_t> hidden{64, 64};  // widths of the hidden layers, at least one
  Activation activation = Activation::kTanh;
  bool shared = false;         // one trunk for actor and critic; else each has its own
  bool orthogonal = true;      // orthogonal matrices, gain sqrt(2), 0.01 for the actor's outputs, 1 for the critic's; else nn.Linear's defaults
  double log_std_init = 0.0;   // of Gaussians, the same in every state
  bool squash = false;         // continuous actions through tanh to their bounds, which must be finite; else plain Gaussians
  bool bf16 = false;           // matrix products in bfloat16 (autocast); weights and outputs stay float32. No fused operator knows it
  bool fused = true;           // on a CPU the fused operators may take it over (small_network); false: predict is all there is
};

// Observes one tensor (B, observation_size) float32; its action is one tensor as ActionSpace says. Throws UserError where
// config and space do not fit. src/policy/README.md shows the PyTorch module of the same names.
std::unique_ptr<Policy> make_mlp_policy(const MlpPolicyConfig& config, const ActionSpace& space, int64_t observation_size, uint64_t seed,
                                        at::Device device);

}  // namespace orbit

// orbit_v1: the released ActorCritic of Orbit Wars. Set attention over planets, a pairwise source-target head, a ship head and a
// value head; parameter names and function are those of the PyTorch model whose .pt files users have.
#pragma once
#include "src/policy/actor_critic.h"

namespace orbit {

struct OrbitPolicyConfig {
  int64_t hidden = 192;           // H, a multiple of attn_heads
  int64_t attn_heads = 8;
  int64_t inducing_points = 24;   // M
  int64_t encoder_layers = 4;     // L
  double head_dropout = 0.0;      // in the three heads, training only
  double ship_log_std_init = 0.5;
  double no_op_bias = 8.0;        // subtracted from the no-op logit; configuration, not a tensor of the file
};

// New weights drawn as PyTorch would after torch.manual_seed(seed): nn.Linear and nn.MultiheadAttention defaults, Xavier for
// inducing points, pooling seed and no-op query. Made on the CPU, then moved to the device.
std::unique_ptr<Policy> make_orbit_policy(const OrbitPolicyConfig& config, uint64_t seed, Layout layout = Layout::kPacked,
                                          at::Device device = at::kCPU);

}  // namespace orbit

// The tensors of orbit_v1, by the names of the PyTorch module, and how new ones are drawn.
#pragma once
#include <vector>

#include "src/policy/initialiser.h"
#include "src/policy/orbit_policy.h"

namespace orbit {

// One multi-head attention block with its feed-forward half.
struct BlockWeights {
  LinearWeights in_proj;   // (3H, H), (3H): query, key, value rows in this order; heads are contiguous column groups
  LinearWeights out_proj;  // (H, H), (H)
  LinearWeights ln1, ln2;  // (H), (H) each
  LinearWeights ff0, ff2;  // (2H, H), (2H); (H, 2H), (H)
};

struct InducedWeights {
  at::Tensor inducing;  // (1, M, H)
  BlockWeights mab1, mab2;
};

struct OrbitWeights {
  LinearWeights in_proj;  // (H, 41), (H)
  std::vector<InducedWeights> encoder;
  at::Tensor seeds;  // (1, 1, H)
  BlockWeights pool;
  LinearWeights psi0, psi2;                      // (H, H + 20), (H); (H, H), (H)
  at::Tensor noop_query;                         // (1, 1, H)
  LinearWeights src0, src3, tgt0, tgt3;          // (H, 2H), (H); (H, H), (H), twice
  at::Tensor pair;                               // (H, H), no bias
  LinearWeights ship0, ship3, value0, value2;    // (H, 2H), (H); (1, H), (1); (H, H), (H); (1, H), (1)
  at::Tensor log_std;                            // (1)
};

// Uninitialised tensors, and the list of all in state_dict order. On at::kMeta names and shapes alone.
OrbitWeights allocate_weights(const OrbitPolicyConfig& config, std::vector<NamedTensor>& named, at::Device device = at::kCPU);

// Draws in the order in which the Python module's constructor draws, so that the same seed gives the same weights.
void initialise_weights(const OrbitWeights& weights, double ship_log_std, uint64_t seed);

// The usual choice for PPO (Andrychowicz et al. 2021): orthogonal matrices with gain sqrt(2), 0.01 in the last layers of the
// action heads, 1 in that of the value head; biases 0. Queries and seeds of the attention as above.
void initialise_orthogonal(const OrbitWeights& weights, double ship_log_std, uint64_t seed);

}  // namespace orbit

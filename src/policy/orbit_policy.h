// orbit_v1: the released ActorCritic of Orbit Wars. Set attention over planets, a pairwise source-target head, a ship head and a
// value head; parameter names and function are those of the PyTorch model whose .pt files users have.
#pragma once
#include "src/policy/actor_critic.h"

namespace orbit {

// Features v1 of B states, each one seat's view (features.h); the tensors of its observation list, in this order. P = 36 slots.
struct PolicyInput {
  at::Tensor planets;  // (B, P, 41) float32, 0 in empty slots
  at::Tensor globals;  // (B, 20) float32
  at::Tensor valid;    // (B, P) bool: a planet is there
  at::Tensor mine;     // (B, P) bool: it belongs to the viewing seat, so its row acts; a subset of valid

  std::vector<at::Tensor> list() const { return {planets, globals, valid, mine}; }
};

// Action rows are flat: row r belongs to the slot rows[r] = state * P + slot, ascending. A network may leave out rows that
// do not act (Layout::kPacked) or give all B * P of them (kPadded: static shapes); `owned` says which ones count.
struct PolicyOutput {
  at::Tensor rows;       // (R) int64
  at::Tensor owned;      // (R) bool: this row acts; all true in the packed layout
  at::Tensor logits;     // (R, P + 1) over targets and no-op (column P); -1e9 where masked, no-op bias applied
  at::Tensor ship_mean;  // (R) mean of log1p(ships)
  at::Tensor value;      // (B)
  at::Tensor log_std;    // () of log1p(ships), one for all rows
  bool static_shapes = false;  // all B * P rows are here, in order: actions are chosen by operators alone too
};

// kPacked computes only what is real (rows of existing planets, heads of owned ones): shapes depend on the data, the CPU's
// default. kPadded computes every slot: static shapes for captured regions. Same function, equal to 1e-6 (a test holds them).
enum class Layout { kPacked, kPadded };

// kArgmax: the most probable of the P + 1 choices. kFire: the most probable planet, no-op only if it leads by 999 or more (the
// original's match agent). Ties go to the lower index. Ships are the mean.
enum class Greedy { kArgmax, kFire };

struct OrbitPolicyConfig {
  int64_t hidden = 192;           // H, a multiple of attn_heads
  int64_t attn_heads = 8;
  int64_t inducing_points = 24;   // M
  int64_t encoder_layers = 4;     // L
  double head_dropout = 0.0;      // in the three heads, training only
  double ship_log_std_init = 0.5;
  double no_op_bias = 8.0;        // subtracted from the no-op logit; configuration, not a tensor of the file
  Greedy greedy = Greedy::kArgmax;
  bool orthogonal = false;        // new weights: orthogonal matrices with PPO's usual gains instead of PyTorch's defaults
  bool bf16 = false;              // matrix products in bfloat16 (autocast); weights and outputs stay float32. Padded layout only
};

// Its actions are target (B, P) int32 and x (B, P) float32 (action_dist.h).
class OrbitPolicy : public Policy {
 public:
  explicit OrbitPolicy(Greedy greedy) : greedy_(greedy) {}
  virtual PolicyOutput forward(const PolicyInput& input) const = 0;
  Prediction predict(at::TensorList observation) const final;

 private:
  Greedy greedy_;
};

// New weights drawn as PyTorch would after torch.manual_seed(seed): nn.Linear and nn.MultiheadAttention defaults, Xavier for
// inducing points, pooling seed and no-op query. Made on the CPU, then moved to the device.
std::unique_ptr<OrbitPolicy> make_orbit_policy(const OrbitPolicyConfig& config, uint64_t seed, Layout layout = Layout::kPacked,
                                          at::Device device = at::kCPU);

}  // namespace orbit

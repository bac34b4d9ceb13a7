// orbit_v1 on the rows that are real. N existing planets and R owned ones of all B states, one behind the other; H hidden, M
// inducing points. What the padded forward computes per slot is computed here
//  - per existing planet in the encoder and the target head, per owned planet in the source and ship heads,
//  - once a state for the context half of the heads' first layers, once a layer for the projected inducing points and seed,
//  - and the last two matrices of the target head are applied to the few source rows instead of the many target rows:
//    q . (Wp (W3 u + b3)) = (W3^T Wp^T q) . u + (Wp^T q) . b3.
#include <ATen/TensorOperators.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/embedding.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/mv.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/relu.h>

#include "src/policy/attention_block.h"
#include "src/policy/orbit_forward.h"
#include "src/policy/row_ops.h"

namespace orbit {
namespace {

using at::Tensor;

// Where the real rows are among the B * P slots.
struct RealRows {
  Segments planets, acting;
  Tensor planet_slots;  // (N) int64 flat slot
  Tensor acting_slots;  // (R) int64 flat slot
  Tensor acting_rows;   // (R) int64 row among the N
};

RealRows find_real_rows(const PolicyInput& input) {
  const int64_t states = input.valid.size(0), slots = input.valid.size(1);
  const Tensor valid = input.valid.contiguous(), mine = input.mine.contiguous();
  const bool *is_valid = valid.const_data_ptr<bool>(), *is_mine = mine.const_data_ptr<bool>();
  std::vector<int64_t> planet_slots, acting_slots, acting_rows;
  RealRows r{{at::empty({states + 1}, at::kLong), 0}, {at::empty({states + 1}, at::kLong), 0}, {}, {}, {}};
  int64_t *planets_at = r.planets.offsets.mutable_data_ptr<int64_t>(), *acting_at = r.acting.offsets.mutable_data_ptr<int64_t>();
  planets_at[0] = acting_at[0] = 0;
  for (int64_t b = 0; b < states; ++b) {
    for (int64_t slot = b * slots; slot < (b + 1) * slots; ++slot) {
      if (!is_valid[slot]) continue;
      if (is_mine[slot]) {
        acting_slots.push_back(slot);
        acting_rows.push_back(int64_t(planet_slots.size()));
      }
      planet_slots.push_back(slot);
    }
    planets_at[b + 1] = int64_t(planet_slots.size());
    acting_at[b + 1] = int64_t(acting_slots.size());
    r.planets.longest = std::max(r.planets.longest, planets_at[b + 1] - planets_at[b]);
    r.acting.longest = std::max(r.acting.longest, acting_at[b + 1] - acting_at[b]);
  }
  const auto tensor = [](const std::vector<int64_t>& v) {
    Tensor t = at::empty({int64_t(v.size())}, at::kLong);
    std::copy(v.begin(), v.end(), t.mutable_data_ptr<int64_t>());
    return t;
  };
  r.planet_slots = tensor(planet_slots);
  r.acting_slots = tensor(acting_slots);
  r.acting_rows = tensor(acting_rows);
  return r;
}

Tensor linear(const Tensor& x, const LinearWeights& l) { return at::linear(x, l.weight, l.bias); }

struct PackedForward {
  const OrbitWeights& w;
  const OrbitPolicyConfig& config;
  bool training;
  RealRows real;

  // First layer, activation and dropout of a head on cat(rows, context of the state).
  Tensor head_hidden(const Tensor& rows, const Segments& segments, const Tensor& ctx, const LinearWeights& first) const {
    const int64_t h = config.hidden;
    const Tensor per_state = at::linear(ctx, first.weight.narrow(1, h, h), first.bias);
    const Tensor x = add_state_relu(at::linear(rows, first.weight.narrow(1, 0, h)), per_state, segments);
    return training && config.head_dropout > 0 ? at::dropout(x, config.head_dropout, true) : x;
  }

  PolicyOutput run(const PolicyInput& input) const {
    const int64_t slots = input.valid.size(1), hidden = config.hidden;
    Tensor h = linear(input.planets.flatten(0, 1).index_select(0, real.planet_slots), w.in_proj);  // (N, H)
    for (const InducedWeights& layer : w.encoder) {
      const Tensor i = shared_attention_block(layer.inducing.squeeze(0), h, real.planets, layer.mab1, config.attn_heads);
      h = own_attention_block(h, i, real.planets, layer.mab2, config.attn_heads);
    }
    const Tensor pooled = shared_attention_block(w.seeds.squeeze(0), h, real.planets, w.pool, config.attn_heads);
    const Tensor ctx = linear(at::relu(linear(at::cat({pooled, input.globals}, -1), w.psi0)), w.psi2);  // (B, H)

    const Tensor acting = at::embedding(h, real.acting_rows);  // (R, H); its gradient is faster than index_select's
    const Tensor q = linear(head_hidden(acting, real.acting, ctx, w.src0), w.src3);
    const Tensor u = head_hidden(h, real.planets, ctx, w.tgt0);
    const Tensor q_pair = at::mm(q, w.pair);
    const Tensor noop = at::mv(q, w.noop_query.view({hidden})) - config.no_op_bias;

    PolicyOutput out;
    out.rows = real.acting_slots;
    out.owned = at::ones({real.acting_slots.size(0)}, at::kBool);
    out.logits = pair_logits(at::mm(q_pair, w.tgt3.weight), real.acting, at::mv(q_pair, w.tgt3.bias), u, real.planets,
                             real.planet_slots, noop, slots);
    out.ship_mean = linear(head_hidden(acting, real.acting, ctx, w.ship0), w.ship3).squeeze(-1);
    out.value = linear(at::relu(linear(ctx, w.value0)), w.value2).squeeze(-1);
    out.log_std = w.log_std.squeeze(0);
    return out;
  }
};

}  // namespace

PolicyOutput forward_packed(const OrbitWeights& weights, const OrbitPolicyConfig& config, bool training, const PolicyInput& input) {
  return PackedForward{weights, config, training, find_real_rows(input)}.run(input);
}

}  // namespace orbit

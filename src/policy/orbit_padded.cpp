// orbit_v1 written as its PyTorch module: every slot of every state computed. B states, P slots, H hidden, M inducing points.
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/dropout.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/scaled_dot_product_attention.h>

#include "src/policy/orbit_forward.h"

namespace orbit {
namespace {

using at::Tensor;

struct PaddedForward {
  const OrbitWeights& w;
  const OrbitPolicyConfig& config;
  bool training;
  Tensor valid;      // (B, P)
  Tensor seen;       // (B, 1, 1, P) keys that attention may use: the valid ones, or all where none is valid
  Tensor any_valid;  // (B, 1, 1) float: 0 makes the attention of such a state 0, as PyTorch does

  static Tensor linear(const Tensor& x, const LinearWeights& l) { return at::linear(x, l.weight, l.bias); }

  Tensor heads(const Tensor& x) const { return x.unflatten(-1, {config.attn_heads, -1}).transpose(1, 2); }

  // Block(x, y): x (B, X, H) attends to y (B, Y, H).
  Tensor block(const BlockWeights& b, const Tensor& x, const Tensor& y, bool masked) const {
    const int64_t h = config.hidden;
    const auto project = [&](const Tensor& from, int64_t part) {
      return heads(at::linear(from, b.in_proj.weight.narrow(0, part * h, h), b.in_proj.bias.narrow(0, part * h, h)));
    };
    Tensor a = at::scaled_dot_product_attention(project(x, 0), project(y, 1), project(y, 2),
                                                masked ? std::optional<Tensor>(seen) : std::nullopt);
    a = a.transpose(1, 2).flatten(2);
    if (masked) a = a * any_valid;
    const Tensor u = at::layer_norm(x + linear(a, b.out_proj), {h}, b.ln1.weight, b.ln1.bias);
    return at::layer_norm(u + linear(at::relu(linear(u, b.ff0)), b.ff2), {h}, b.ln2.weight, b.ln2.bias);
  }

  Tensor head(const Tensor& x, const LinearWeights& first, const LinearWeights& last) const {
    return linear(at::dropout(at::relu(linear(x, first)), config.head_dropout, training), last);
  }

  PolicyOutput run(const PolicyInput& input) const {
    const int64_t states = valid.size(0), slots = valid.size(1);
    const Tensor exists = valid.to(at::kFloat).unsqueeze(-1);  // (B, P, 1)
    Tensor h = linear(input.planets, w.in_proj) * exists;
    for (const InducedWeights& layer : w.encoder) {
      const Tensor i = block(layer.mab1, layer.inducing.expand({states, -1, -1}), h, true);
      h = block(layer.mab2, h, i, false) * exists;
    }
    const Tensor pooled = block(w.pool, w.seeds.expand({states, -1, -1}), h, true).select(1, 0);
    const Tensor ctx = linear(at::relu(linear(at::cat({pooled, input.globals}, -1), w.psi0)), w.psi2);  // (B, H)
    const Tensor hc = at::cat({h, ctx.unsqueeze(1).expand({-1, slots, -1})}, -1);

    const Tensor q = head(hc, w.src0, w.src3), k = at::linear(head(hc, w.tgt0, w.tgt3), w.pair);
    const Tensor pairs = at::matmul(q, k.transpose(1, 2)).masked_fill(valid.logical_not().unsqueeze(1), -1e9);
    const Tensor noop = at::matmul(q, w.noop_query.view({-1, 1})) - config.no_op_bias;

    PolicyOutput out;
    out.static_shapes = true;
    out.rows = at::arange(states * slots, valid.options().dtype(at::kLong));
    out.owned = input.mine.flatten();
    out.logits = at::cat({pairs, noop}, -1).flatten(0, 1);
    out.ship_mean = head(hc, w.ship0, w.ship3).flatten();
    out.value = linear(at::relu(linear(ctx, w.value0)), w.value2).squeeze(-1);
    out.log_std = w.log_std.squeeze(0);
    return out;
  }
};

}  // namespace

PolicyOutput forward_padded(const OrbitWeights& weights, const OrbitPolicyConfig& config, bool training, const PolicyInput& input) {
  const Tensor some = input.valid.any(1, /*keepdim=*/true);  // (B, 1)
  const Tensor seen = input.valid.logical_or(some.logical_not()).unsqueeze(1).unsqueeze(1);
  return PaddedForward{weights, config, training, input.valid, seen, some.to(at::kFloat).unsqueeze(-1)}.run(input);
}

}  // namespace orbit

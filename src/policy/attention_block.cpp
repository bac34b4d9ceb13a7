#include "src/policy/attention_block.h"

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/bmm.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "src/policy/block_finish.h"
#include "src/policy/kernels/kernels.h"
#include "src/policy/state_chunks.h"

namespace orbit {
namespace {

using at::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

const float* data(const Tensor& t) { return t.const_data_ptr<float>(); }
float* mutable_data(const Tensor& t) { return t.mutable_data_ptr<float>(); }
Tensor floats(at::IntArrayRef shape) { return at::empty(shape, at::kFloat); }

// Sizes of a call. Rows of the result: a state's points where the queries are shared, else its planets.
struct Call {
  AttentionShape shape;
  bool shared;
  const int64_t* at;  // offsets of the planets
  int64_t states, longest;
  StateChunks chunks;

  Call(const AttentionShape& shape, bool shared, const Tensor& offsets, int64_t longest)
      : shape(shape), shared(shared), at(offsets.const_data_ptr<int64_t>()), states(offsets.size(0) - 1), longest(longest),
        chunks(states, std::max(longest, shape.points), shape.hidden()) {}

  struct Range {
    int64_t first, count;
    Tensor of(const Tensor& t) const { return t.narrow(0, first, count); }
  };
  Range planets(int64_t state, int64_t count) const { return {at[state], at[state + count] - at[state]}; }
  Range points(int64_t state, int64_t count) const { return {state * shape.points, count * shape.points}; }
  Range rows(int64_t state, int64_t count) const { return shared ? points(state, count) : planets(state, count); }

  int64_t chunk_rows() const { return chunks.longest() * (shared ? shape.points : longest); }
  int64_t wide_rows() const { return shared ? shape.shared_columns() : 3 * shape.hidden(); }
  int64_t tile() const { return shape.tile_floats(longest); }
  Tensor scratch(int64_t rows, int64_t columns) const { return floats({chunks.groups(), rows, columns}); }
};

// What the attention itself leaves for the backward pass. Shared: first = weights and values (N, score columns + H). Own: first =
// queries (N, H), second = keys and values (B * M, 2H), weights = a tile for each state and head.
struct AttentionKept {
  Tensor first, second, weights;
  Tensor attended;  // (rows, H)

  static AttentionKept allocate(const Call& c, int64_t planets, int64_t states, int64_t rows) {
    const int64_t h = c.shape.hidden();
    if (c.shared) return {floats({planets, c.shape.shared_columns()}), {}, {}, floats({rows, h})};
    return {floats({planets, h}), floats({states * c.shape.points, 2 * h}), floats({states, c.shape.heads * c.tile()}), floats({rows, h})};
  }
  AttentionKept narrow(const Call& c, int64_t state, int64_t count) const {
    const Call::Range planets = c.planets(state, count), points = c.points(state, count);
    if (c.shared) return {planets.of(first), {}, {}, points.of(attended)};
    return {planets.of(first), points.of(second), weights.narrow(0, state, count), planets.of(attended)};
  }
};

// x: queries' source and residual; y: keys' and values' source; wide: the projections' weights; bias (3H) of query, key, value.
struct Operands {
  Tensor x, y, wide, bias;
};

void attend(const Call& c, const Operands& o, int64_t state, int64_t count, const AttentionKept& kept, float* scratch) {
  const Kernels& k = kernels();
  const int64_t h = c.shape.hidden();
  const float* bias = data(o.bias);
  Tensor first = kept.first, second = kept.second;
  if (c.shared) {
    at::mm_out(first, c.planets(state, count).of(o.y), o.wide.t());
    k.attend_shared(c.shape, c.at + state, count, mutable_data(first), bias + 2 * h, mutable_data(kept.attended));
    return;
  }
  at::mm_out(first, c.planets(state, count).of(o.x), o.wide.narrow(0, 0, h).t());
  at::mm_out(second, c.points(state, count).of(o.y), o.wide.narrow(0, h, 2 * h).t());
  k.attend_own(c.shape, c.at + state, count, mutable_data(first), data(second), bias, bias + 2 * h, mutable_data(kept.weights), c.tile(),
               mutable_data(kept.attended), scratch);
}

Tensor run_block(const Call& c, const Operands& o, const BlockWeights& w, AttentionKept* kept, FinishKept* kept_finish) {
  const int64_t h = c.shape.hidden(), rows = c.rows(0, c.states).count, most = c.chunk_rows();
  Tensor out = floats({rows, h});
  const Tensor u = c.scratch(most, h), attention_scratch = c.scratch(1, c.shape.scratch_floats(c.longest));
  if (kept) {
    *kept = AttentionKept::allocate(c, c.at[c.states], c.states, rows);
    *kept_finish = FinishKept::allocate(rows, h);
  }
  c.chunks.run([&](int64_t group, int64_t state, int64_t count, bool) {
    const Call::Range here = c.rows(state, count);
    AttentionKept attention;
    FinishKept finish;
    if (kept) {
      attention = kept->narrow(c, state, count);
      finish = kept_finish->narrow(here.first, here.count);
    } else {
      attention = AttentionKept::allocate(c, c.planets(state, count).count, count, here.count);
      finish = FinishKept::allocate(here.count, h);
    }
    attend(c, o, state, count, attention, mutable_data(attention_scratch.select(0, group)));
    finish_forward(attention.attended, o.x, here.first, w, finish, group_rows(u, group, here.count), here.of(out));
  });
  return out;
}

class AttentionBlock : public torch::autograd::Function<AttentionBlock> {
 public:
  static Tensor forward(AutogradContext* ctx, const Tensor& x, const Tensor& y, const Tensor& wide, const Tensor& bias,
                        const Tensor& offsets, bool shared, int64_t heads, int64_t points, int64_t longest, const Tensor& out_weight,
                        const Tensor& out_bias, const Tensor& ln1_weight, const Tensor& ln1_bias, const Tensor& ln2_weight,
                        const Tensor& ln2_bias, const Tensor& ff0_weight, const Tensor& ff0_bias, const Tensor& ff2_weight,
                        const Tensor& ff2_bias) {
    BlockWeights w;
    w.out_proj = {out_weight, out_bias};
    w.ln1 = {ln1_weight, ln1_bias};
    w.ln2 = {ln2_weight, ln2_bias};
    w.ff0 = {ff0_weight, ff0_bias};
    w.ff2 = {ff2_weight, ff2_bias};
    const Call c({heads, x.size(1) / heads, points}, shared, offsets, longest);
    AttentionKept kept;
    FinishKept finish;
    const Tensor out = run_block(c, {x, y, wide, bias}, w, &kept, &finish);
    ctx->save_for_backward({x, y, wide, offsets, out_weight, ln1_weight, ln1_bias, ln2_weight, ff0_weight, ff2_weight, kept.first,
                            kept.second, kept.weights, kept.attended, finish.n1, finish.n2, finish.inverse1, finish.inverse2,
                            finish.hidden});
    ctx->saved_data["shared"] = shared;
    ctx->saved_data["heads"] = heads;
    ctx->saved_data["points"] = points;
    ctx->saved_data["longest"] = longest;
    return out;
  }

  static variable_list backward(AutogradContext* ctx, variable_list grads) {
    const auto s = ctx->get_saved_variables();
    const Tensor &x = s[0], &y = s[1], &wide = s[2], d_out = grads[0].contiguous();
    BlockWeights w;
    w.out_proj.weight = s[4], w.ln1 = {s[5], s[6]}, w.ln2.weight = s[7], w.ff0.weight = s[8], w.ff2.weight = s[9];
    const AttentionKept all{s[10], s[11], s[12], s[13]};
    const FinishKept all_finish{s[14], s[15], s[16], s[17], s[18]};
    const Call c({ctx->saved_data["heads"].toInt(), x.size(1) / ctx->saved_data["heads"].toInt(), ctx->saved_data["points"].toInt()},
                 ctx->saved_data["shared"].toBool(), s[3], ctx->saved_data["longest"].toInt());
    const Kernels& k = kernels();
    const int64_t h = c.shape.hidden(), most = c.chunk_rows(), groups = c.chunks.groups(), most_planets = c.chunks.longest() * c.longest;
    const Tensor sums = floats({groups, BlockGradients::floats(h, c.wide_rows())});
    const Tensor d = c.scratch(most, h), u = c.scratch(most, h), d_attended = c.scratch(most, h), d_hidden = c.scratch(most, 2 * h);
    const Tensor d_first = c.scratch(most_planets, c.shared ? c.shape.shared_columns() : h);
    const Tensor d_second = c.scratch(c.shared ? 0 : c.chunks.longest() * c.shape.points, 2 * h);
    const Tensor attention_scratch = c.scratch(1, c.shape.scratch_floats(c.longest));
    // Shared: the residual's gradient by group; own: by row.
    const Tensor d_x = c.shared ? at::zeros({groups, x.size(0), h}, at::kFloat) : floats({x.size(0), h});
    const Tensor d_residual = c.scratch(c.shared ? most : 0, h);
    Tensor d_y = floats({y.size(0), h});
    c.chunks.run([&](int64_t group, int64_t state, int64_t count, bool first) {
      const Call::Range here = c.rows(state, count), planets = c.planets(state, count), points = c.points(state, count);
      const BlockGradients sum{sums.select(0, group), h, c.wide_rows()};
      if (first) sum.vectors().zero_();
      const AttentionKept kept = all.narrow(c, state, count);
      const Tensor d_a = group_rows(d_attended, group, here.count);
      Tensor d_rows = c.shared ? group_rows(d_residual, group, here.count) : here.of(d_x);
      finish_backward(here.of(d_out), kept.attended, w, all_finish.narrow(here.first, here.count), first, sum,
                      group_rows(d, group, here.count), group_rows(u, group, here.count), group_rows(d_hidden, group, here.count), d_a,
                      d_rows);
      float *scratch = mutable_data(attention_scratch.select(0, group)), *bias = mutable_data(sum.in_bias());
      const Tensor d_planets = group_rows(d_first, group, planets.count);
      if (c.shared) {
        Tensor d_keys = planets.of(d_y);
        k.add_rows(data(d_rows), here.count, h, c.shape.points, mutable_data(d_x.select(0, group)));
        k.attend_shared_backward(c.shape, c.at + state, count, data(kept.first), data(d_a), mutable_data(d_planets), bias + 2 * h, scratch);
        add_product(sum.wide(), d_planets.t(), planets.of(y), first);
        at::mm_out(d_keys, d_planets, wide);
        return;
      }
      Tensor d_keys = points.of(d_y);
      const Tensor d_points = group_rows(d_second, group, points.count);
      k.attend_own_backward(c.shape, c.at + state, count, data(kept.first), data(kept.second), data(kept.weights), c.tile(), data(d_a),
                            mutable_data(d_planets), mutable_data(d_points), bias, bias + 2 * h, scratch);
      add_product(sum.wide().narrow(0, 0, h), d_planets.t(), planets.of(x), first);
      add_product(sum.wide().narrow(0, h, 2 * h), d_points.t(), points.of(y), first);
      d_rows.addmm_(d_planets, wide.narrow(0, 0, h));
      at::mm_out(d_keys, d_points, wide.narrow(0, h, 2 * h));
    });
    const BlockGradients total{sums.sum(0), h, c.wide_rows()};
    return {c.shared ? d_x.sum(0) : d_x, d_y, total.wide(), total.in_bias(), {}, {}, {}, {}, {}, total.out_proj(), total.out_bias(),
            total.ln1_weight(), total.ln1_bias(), total.ln2_weight(), total.ln2_bias(), total.ff0(), total.ff0_bias(), total.ff2(),
            total.ff2_bias()};
  }
};

Tensor attention_block(const Tensor& x, const Tensor& y, const Tensor& wide, const Segments& planets, bool shared, int64_t heads,
                       int64_t points, const BlockWeights& w) {
  if (at::GradMode::is_enabled() && (x.requires_grad() || y.requires_grad() || w.out_proj.weight.requires_grad())) {
    return AttentionBlock::apply(x, y, wide, w.in_proj.bias, planets.offsets, shared, heads, points, planets.longest, w.out_proj.weight,
                                 w.out_proj.bias, w.ln1.weight, w.ln1.bias, w.ln2.weight, w.ln2.bias, w.ff0.weight, w.ff0.bias,
                                 w.ff2.weight, w.ff2.bias);
  }
  return run_block(Call({heads, x.size(1) / heads, points}, shared, planets.offsets, planets.longest), {x, y, wide, w.in_proj.bias}, w,
                   nullptr, nullptr);
}

}  // namespace

// The queries do not depend on the state, so they are applied to the keys' weights instead of the keys: with the head's rows q of
// the queries and Wk of those weights, q . (Wk y + bk) = (Wk^T q) . y + a constant, which cancels in the softmax.
Tensor shared_attention_block(const Tensor& x, const Tensor& h, const Segments& planets, const BlockWeights& w, int64_t heads) {
  const int64_t points = x.size(0), hidden = x.size(1), width = hidden / heads;
  const auto parts = w.in_proj.weight.view({3, hidden, hidden}).unbind(0);
  const Tensor q = at::linear(x, parts[0], w.in_proj.bias.narrow(0, 0, hidden)) * (1.0 / std::sqrt(double(width)));
  const Tensor scores = at::bmm(q.view({points, heads, width}).transpose(0, 1), parts[1].view({heads, width, hidden}));
  const int64_t room = AttentionShape{heads, width, points}.score_columns() - heads * points;
  const Tensor wide = at::cat({scores.view({heads * points, hidden}), at::zeros({room, hidden}, at::kFloat), parts[2]});
  return attention_block(x, h, wide, planets, true, heads, points, w);
}

Tensor own_attention_block(const Tensor& h, const Tensor& points, const Segments& planets, const BlockWeights& w, int64_t heads) {
  const int64_t points_each = planets.states() ? points.size(0) / planets.states() : 0;
  return attention_block(h, points, w.in_proj.weight, planets, false, heads, points_each, w);
}

}  // namespace orbit

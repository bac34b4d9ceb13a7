#include "src/policy/finish_block.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "src/policy/norm_rows.h"
#include "src/policy/row_chunks.h"

namespace orbit {
namespace {

using at::Tensor;

// What the backward pass reads: normalised rows before scale and shift, 1/deviations, hidden activations.
struct Kept {
  Tensor n1, n2;            // (R, H)
  Tensor inverse1, inverse2;  // (R)
  Tensor hidden;            // (R, 2H)
};

const float* data(const Tensor& t) { return t.const_data_ptr<float>(); }

void add_bias_relu(float* rows, const float* bias, int64_t count, int64_t width) {
  for (int64_t i = 0; i < count; ++i) {
    float* row = rows + i * width;
    for (int64_t c = 0; c < width; ++c) {
      const float sum = row[c] + bias[c];
      row[c] = sum > 0 ? sum : 0;
    }
  }
}

// d_rows becomes 0 where the activation was; d_bias gets the sums of columns.
void relu_backward(float* d_rows, const float* rows, int64_t count, int64_t width, float* d_bias) {
  for (int64_t i = 0; i < count; ++i) {
    float* d = d_rows + i * width;
    const float* row = rows + i * width;
    for (int64_t c = 0; c < width; ++c) {
      d[c] = row[c] > 0 ? d[c] : 0;
      d_bias[c] += d[c];
    }
  }
}

Tensor run(const Tensor& attended, const Tensor& x, const BlockWeights& w, Kept* kept) {
  const int64_t rows = attended.size(0), h = attended.size(1), period = std::max<int64_t>(x.size(0), 1);
  const RowChunks chunks{rows};
  const int64_t scratch_rows = kept ? 0 : chunks.longest();
  Tensor out = at::empty({rows, h}, at::kFloat), u_scratch = at::empty({chunks.groups(), chunks.longest(), h}, at::kFloat);
  Tensor n_scratch = at::empty({chunks.groups(), scratch_rows, h}, at::kFloat);
  Tensor hidden_scratch = at::empty({chunks.groups(), scratch_rows, 2 * h}, at::kFloat);
  if (kept) {
    *kept = {at::empty({rows, h}, at::kFloat), at::empty({rows, h}, at::kFloat), at::empty({rows}, at::kFloat),
             at::empty({rows}, at::kFloat), at::empty({rows, 2 * h}, at::kFloat)};
  }
  const float *x_row = data(x), *out_bias = data(w.out_proj.bias), *ff2_bias = data(w.ff2.bias);
  const float *ln1_weight = data(w.ln1.weight), *ln1_bias = data(w.ln1.bias);
  const float *ln2_weight = data(w.ln2.weight), *ln2_bias = data(w.ln2.bias);
  const Tensor out_t = w.out_proj.weight.detach().t(), ff0_t = w.ff0.weight.detach().t(), ff2_t = w.ff2.weight.detach().t();
  chunks.run([&](int64_t group, int64_t first, int64_t count) {
    const auto part = [&](const Tensor& all, const Tensor& scratch) {
      return kept ? all.narrow(0, first, count) : group_rows(scratch, group, count);
    };
    Tensor n1 = part(kept ? kept->n1 : out, n_scratch), n2 = part(kept ? kept->n2 : out, n_scratch);
    Tensor hidden = part(kept ? kept->hidden : out, hidden_scratch), u = group_rows(u_scratch, group, count);
    float unkept1, unkept2;
    float* inverse1 = kept ? kept->inverse1.mutable_data_ptr<float>() : &unkept1;
    float* inverse2 = kept ? kept->inverse2.mutable_data_ptr<float>() : &unkept2;
    float *n1_row = n1.mutable_data_ptr<float>(), *u_row = u.mutable_data_ptr<float>();
    at::mm_out(n1, attended.narrow(0, first, count), out_t);
    for (int64_t i = 0; i < count; ++i) {
      inverse1[kept ? first + i : 0] =
          normalise_row(n1_row + i * h, out_bias, x_row + (first + i) % period * h, ln1_weight, ln1_bias, h, u_row + i * h);
    }
    at::mm_out(hidden, u, ff0_t);
    add_bias_relu(hidden.mutable_data_ptr<float>(), data(w.ff0.bias), count, 2 * h);
    at::mm_out(n2, hidden, ff2_t);
    float *n2_row = n2.mutable_data_ptr<float>(), *out_row = out.mutable_data_ptr<float>() + first * h;
    for (int64_t i = 0; i < count; ++i) {
      inverse2[kept ? first + i : 0] =
          normalise_row(n2_row + i * h, ff2_bias, u_row + i * h, ln2_weight, ln2_bias, h, out_row + i * h);
    }
  });
  return out;
}

// Gradients of one block's weights; a row of this per group, added up at the end.
struct WeightGradients {
  int64_t h;
  Tensor flat;  // (groups, 5 H^2 + 8 H)

  WeightGradients(int64_t groups, int64_t hidden) : h(hidden), flat(at::zeros({groups, 5 * h * h + 8 * h}, at::kFloat)) {}
  static Tensor matrix(const Tensor& row, int64_t from, int64_t rows, int64_t columns) {
    return row.narrow(0, from, rows * columns).view({rows, columns});
  }
  static Tensor out_proj(const Tensor& row, int64_t h) { return matrix(row, 0, h, h); }
  static Tensor ff0(const Tensor& row, int64_t h) { return matrix(row, h * h, 2 * h, h); }
  static Tensor ff2(const Tensor& row, int64_t h) { return matrix(row, 3 * h * h, h, 2 * h); }
  // (H) pieces behind the matrices: 0 ln1 weight, 1 ln1 bias, 2 out_proj bias, 3 ln2 weight, 4 ln2 bias, 5 ff2 bias, 6 to 7 ff0 bias.
  static Tensor piece(const Tensor& row, int64_t h, int64_t index, int64_t count = 1) {
    return row.narrow(0, 5 * h * h + index * h, count * h);
  }
};

class FinishBlock : public torch::autograd::Function<FinishBlock> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& attended, const Tensor& x, const Tensor& out_weight,
                        const Tensor& out_bias, const Tensor& ln1_weight, const Tensor& ln1_bias, const Tensor& ln2_weight,
                        const Tensor& ln2_bias, const Tensor& ff0_weight, const Tensor& ff0_bias, const Tensor& ff2_weight,
                        const Tensor& ff2_bias) {
    BlockWeights w;
    w.out_proj = {out_weight, out_bias};
    w.ln1 = {ln1_weight, ln1_bias};
    w.ln2 = {ln2_weight, ln2_bias};
    w.ff0 = {ff0_weight, ff0_bias};
    w.ff2 = {ff2_weight, ff2_bias};
    Kept kept;
    const Tensor out = run(attended, x, w, &kept);
    ctx->save_for_backward({attended, out_weight, ln1_weight, ln1_bias, ln2_weight, ff0_weight, ff2_weight, kept.n1, kept.n2,
                            kept.inverse1, kept.inverse2, kept.hidden});
    ctx->saved_data["period"] = x.size(0);
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx, torch::autograd::variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor &attended = saved[0], &out_weight = saved[1], &ff0_weight = saved[5], &ff2_weight = saved[6], &hidden = saved[11];
    const Tensor d_out = grads[0].contiguous();
    const float *n1 = data(saved[7]), *n2 = data(saved[8]), *inverse1 = data(saved[9]), *inverse2 = data(saved[10]);
    const float *w1 = data(saved[2]), *shift1 = data(saved[3]), *w2 = data(saved[4]), *d_out_row = data(d_out);
    const int64_t rows = attended.size(0), h = attended.size(1), period = ctx->saved_data["period"].toInt();
    const RowChunks chunks{rows};
    WeightGradients sums(chunks.groups(), h);
    Tensor d_attended = at::empty_like(attended), d_x = at::empty_like(attended);
    const Tensor d_scratch = at::empty({chunks.groups(), chunks.longest(), h}, at::kFloat), u_scratch = at::empty_like(d_scratch);
    const Tensor hidden_scratch = at::empty({chunks.groups(), chunks.longest(), 2 * h}, at::kFloat);
    float* d_x_row = d_x.mutable_data_ptr<float>();
    chunks.run([&](int64_t group, int64_t first, int64_t count) {
      const Tensor sum = sums.flat.select(0, group);
      const auto piece = [&](int64_t index) { return WeightGradients::piece(sum, h, index).mutable_data_ptr<float>(); };
      Tensor d = group_rows(d_scratch, group, count), u = group_rows(u_scratch, group, count);
      Tensor d_hidden = group_rows(hidden_scratch, group, count);
      const Tensor hidden_rows = hidden.narrow(0, first, count);
      float *d_row = d.mutable_data_ptr<float>(), *u_row = u.mutable_data_ptr<float>();
      // LN2 and ff2: d is the gradient of both summands of the norm.
      const NormGradients to2{piece(3), piece(4), piece(5)};
      for (int64_t i = 0; i < count; ++i) {
        const int64_t at = (first + i) * h;
        normalise_row_backward(n2 + at, inverse2[first + i], w2, d_out_row + at, h, d_row + i * h, to2);
      }
      WeightGradients::ff2(sum, h).addmm_(d.t(), hidden_rows);
      at::mm_out(d_hidden, d, ff2_weight);
      // Activation and ff0.
      relu_backward(d_hidden.mutable_data_ptr<float>(), data(hidden_rows), count, 2 * h, piece(6));
      for (int64_t i = 0; i < count; ++i) {
        const float* n = n1 + (first + i) * h;
        for (int64_t c = 0; c < h; ++c) u_row[i * h + c] = n[c] * w1[c] + shift1[c];
      }
      WeightGradients::ff0(sum, h).addmm_(d_hidden.t(), u);
      d.addmm_(d_hidden, ff0_weight);
      // LN1 and the output projection.
      Tensor d_sum = d_x.narrow(0, first, count), d_a = d_attended.narrow(0, first, count);
      const NormGradients to1{piece(0), piece(1), piece(2)};
      for (int64_t i = 0; i < count; ++i) {
        const int64_t at = (first + i) * h;
        normalise_row_backward(n1 + at, inverse1[first + i], w1, d_row + i * h, h, d_x_row + at, to1);
      }
      WeightGradients::out_proj(sum, h).addmm_(d_sum.t(), attended.narrow(0, first, count));
      at::mm_out(d_a, d_sum, out_weight);
    });
    if (period != rows) d_x = d_x.view({-1, period, h}).sum(0);
    const Tensor total = sums.flat.sum(0);
    const auto piece = [&](int64_t index, int64_t count = 1) { return WeightGradients::piece(total, h, index, count); };
    return {d_attended, d_x,      WeightGradients::out_proj(total, h), piece(2),
            piece(0),   piece(1), piece(3),                            piece(4),
            WeightGradients::ff0(total, h), piece(6, 2), WeightGradients::ff2(total, h), piece(5)};
  }
};

}  // namespace

Tensor finish_block(const Tensor& attended, const Tensor& x, const BlockWeights& w) {
  if (at::GradMode::is_enabled() && (attended.requires_grad() || x.requires_grad() || w.out_proj.weight.requires_grad())) {
    return FinishBlock::apply(attended, x, w.out_proj.weight, w.out_proj.bias, w.ln1.weight, w.ln1.bias, w.ln2.weight, w.ln2.bias,
                              w.ff0.weight, w.ff0.bias, w.ff2.weight, w.ff2.bias);
  }
  return run(attended, x, w, nullptr);
}

}  // namespace orbit

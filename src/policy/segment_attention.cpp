#include "src/policy/segment_attention.h"

#include <cmath>
#include <vector>

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "src/policy/small_gemm.h"

namespace orbit {
namespace {

using at::Tensor;

// Everything a thread needs to walk over states; pointers to rows of the whole batch. Scores and weights of one state and head
// are kept by key, (keys, queries padded to vectors), so that the softmax over keys runs on whole vectors of queries.
struct Attention {
  const float *q, *kv;  // rows H and 2H apart
  const int64_t *q_at, *kv_at;
  bool shared;
  int64_t heads, hidden, longest_queries, longest_keys;

  int64_t width() const { return hidden / heads; }
  int64_t queries(int64_t b) const { return q_at[b + 1] - q_at[b]; }
  int64_t keys(int64_t b) const { return kv_at[b + 1] - kv_at[b]; }
  const float* query(int64_t b, int64_t head) const { return q + (shared ? 0 : q_at[b] * hidden) + head * width(); }
  const float* key(int64_t b, int64_t head) const { return kv + kv_at[b] * 2 * hidden + head * width(); }
  int64_t tile() const { return longest_keys * padded_to_lanes(longest_queries); }  // floats kept for one state and head
};

// (rows, columns) with rows `distance` apart, columns a whole number of vectors: where it lies if that fits, else a copy with
// zeros behind.
struct WholeRows {
  const float* data;
  int64_t distance, columns;

  WholeRows(const float* from, int64_t from_distance, int64_t rows, int64_t width, std::vector<float>& copy)
      : data(from), distance(from_distance), columns(padded_to_lanes(width)) {
    if (columns == width) return;
    copy.assign(size_t(rows * columns), 0.0f);
    for (int64_t i = 0; i < rows; ++i) std::memcpy(copy.data() + i * columns, from + i * from_distance, sizeof(float) * width);
    data = copy.data();
    distance = columns;
  }
};

// c = a b for a result whose rows may be narrower than whole vectors.
void gemm_into(const float* a, int64_t a_row, int64_t a_term, const WholeRows& b, float* c, int64_t distance, int64_t rows,
               int64_t width, int64_t terms, std::vector<float>& scratch) {
  if (b.columns == width) {
    small_gemm(a, a_row, a_term, b.data, b.distance, c, distance, rows, width, terms);
    return;
  }
  scratch.resize(size_t(rows * b.columns));
  small_gemm(a, a_row, a_term, b.data, b.distance, scratch.data(), b.columns, rows, b.columns, terms);
  for (int64_t i = 0; i < rows; ++i) std::memcpy(c + i * distance, scratch.data() + i * b.columns, sizeof(float) * width);
}

// (rows, width) with rows `distance` apart -> (width, padded rows) with zeros behind, times scale.
void copy_transposed(const float* from, int64_t distance, int64_t rows, int64_t width, float scale, std::vector<float>& to) {
  const int64_t padded = padded_to_lanes(rows);
  to.resize(size_t(width * padded));
  for (int64_t c = 0; c < width; ++c) {
    for (int64_t i = 0; i < rows; ++i) to[size_t(c * padded + i)] = from[i * distance + c] * scale;
    for (int64_t i = rows; i < padded; ++i) to[size_t(c * padded + i)] = 0;
  }
}

// Softmax over keys of (keys, columns), eight queries at a time.
void softmax_over_keys(float* scores, int64_t keys, int64_t columns) {
  for (int64_t i = 0; i < columns; i += kLanes) {
    Float8 top = load8(scores + i), sum = {};
    for (int64_t j = 1; j < keys; ++j) top = max8(top, load8(scores + j * columns + i));
    for (int64_t j = 0; j < keys; ++j) {
      const Float8 e = exp8(load8(scores + j * columns + i) - top);
      store8(scores + j * columns + i, e);
      sum += e;
    }
    const Float8 scale = 1.0f / sum;
    for (int64_t j = 0; j < keys; ++j) store8(scores + j * columns + i, load8(scores + j * columns + i) * scale);
  }
}

// weights: a tile per state and head, kept for the backward pass, or null.
void attend_states(const Attention& a, int64_t begin, int64_t end, float* out, float* kept_weights) {
  const int64_t width = a.width();
  const float scale = 1.0f / std::sqrt(float(width));
  std::vector<float> queries_t, copy, scratch, tile(size_t(kept_weights ? 0 : a.tile()));
  for (int64_t head = 0; head < a.heads; ++head) {
    if (a.shared) copy_transposed(a.query(0, head), a.hidden, a.queries(0), width, scale, queries_t);
    for (int64_t b = begin; b < end; ++b) {
      const int64_t m = a.queries(b), n = a.keys(b), columns = padded_to_lanes(m);
      float* o = out + a.q_at[b] * a.hidden + head * width;
      if (n == 0) {
        for (int64_t i = 0; i < m; ++i) std::memset(o + i * a.hidden, 0, sizeof(float) * width);
        continue;
      }
      if (!a.shared) copy_transposed(a.query(b, head), a.hidden, m, width, scale, queries_t);
      float* weights = kept_weights ? kept_weights + (b * a.heads + head) * a.tile() : tile.data();
      small_gemm(a.key(b, head), 2 * a.hidden, 1, queries_t.data(), columns, weights, columns, n, columns, width);
      softmax_over_keys(weights, n, columns);
      const WholeRows values(a.key(b, head) + a.hidden, 2 * a.hidden, n, width, copy);
      gemm_into(weights, 1, columns, values, o, a.hidden, m, width, n, scratch);
    }
  }
}

// Through the softmax: d_scores = w * (d_w - sum over keys of w * d_w), times the scale of the scores, over d_w.
void softmax_backward(const float* weights, float* d_weights, int64_t keys, int64_t columns, float scale) {
  for (int64_t i = 0; i < columns; i += kLanes) {
    Float8 dot = {};
    for (int64_t j = 0; j < keys; ++j) dot += load8(weights + j * columns + i) * load8(d_weights + j * columns + i);
    for (int64_t j = 0; j < keys; ++j) {
      float* d = d_weights + j * columns + i;
      store8(d, load8(weights + j * columns + i) * (load8(d) - dot) * scale);
    }
  }
}

// Gradients of states [begin, end). d_q of shared queries is added up over them, else written.
void attend_states_backward(const Attention& a, int64_t begin, int64_t end, const float* all_weights, const float* d_out,
                            float* d_q, float* d_kv) {
  const int64_t width = a.width();
  const float scale = 1.0f / std::sqrt(float(width));
  std::vector<float> d_out_t, copy, scratch, d_scores(size_t(a.tile())), d_query(size_t(a.shared ? a.longest_queries * width : 0));
  for (int64_t head = 0; head < a.heads; ++head) {
    for (int64_t b = begin; b < end; ++b) {
      const int64_t m = a.queries(b), n = a.keys(b), columns = padded_to_lanes(m);
      float* to_q = d_q + (a.shared ? 0 : a.q_at[b] * a.hidden) + head * width;
      if (n == 0) {
        for (int64_t i = 0; i < m && !a.shared; ++i) std::memset(to_q + i * a.hidden, 0, sizeof(float) * width);
        continue;
      }
      const float *key = a.key(b, head), *weights = all_weights + (b * a.heads + head) * a.tile();
      const float* d_rows = d_out + a.q_at[b] * a.hidden + head * width;
      float* to_key = d_kv + a.kv_at[b] * 2 * a.hidden + head * width;
      copy_transposed(d_rows, a.hidden, m, width, 1.0f, d_out_t);
      small_gemm(key + a.hidden, 2 * a.hidden, 1, d_out_t.data(), columns, d_scores.data(), columns, n, columns, width);
      softmax_backward(weights, d_scores.data(), n, columns, scale);
      gemm_into(weights, columns, 1, {d_rows, a.hidden, m, width, copy}, to_key + a.hidden, 2 * a.hidden, n, width, m, scratch);
      gemm_into(d_scores.data(), columns, 1, {a.query(b, head), a.hidden, m, width, copy}, to_key, 2 * a.hidden, n, width, m, scratch);
      const WholeRows keys(key, 2 * a.hidden, n, width, copy);
      if (!a.shared) {
        gemm_into(d_scores.data(), 1, columns, keys, to_q, a.hidden, m, width, n, scratch);
        continue;
      }
      gemm_into(d_scores.data(), 1, columns, keys, d_query.data(), width, m, width, n, scratch);
      for (int64_t i = 0; i < m; ++i) {
        for (int64_t c = 0; c < width; ++c) to_q[i * a.hidden + c] += d_query[size_t(i * width + c)];
      }
    }
  }
}

Attention describe(const Tensor& q, const Tensor& q_offsets, bool shared, const Tensor& kv, const Tensor& kv_offsets,
                   int64_t heads, int64_t longest_q, int64_t longest_kv) {
  return {q.const_data_ptr<float>(), kv.const_data_ptr<float>(), q_offsets.const_data_ptr<int64_t>(),
          kv_offsets.const_data_ptr<int64_t>(), shared, heads, q.size(1), longest_q, longest_kv};
}

constexpr int64_t kStatesAGrain = 4;    // states a thread takes at least
constexpr int64_t kStatesAPartial = 32;  // states of one partial sum: fixed, so sums do not depend on the number of threads

class SegmentAttention : public torch::autograd::Function<SegmentAttention> {
 public:
  static Tensor run(const Attention& a, int64_t states, Tensor* weights) {
    const int64_t rows = a.q_at[states];
    Tensor out = at::empty({rows, a.hidden}, at::kFloat);
    if (weights) *weights = at::empty({states, a.heads, a.tile()}, at::kFloat);
    float* out_data = out.mutable_data_ptr<float>();
    float* weights_data = weights ? weights->mutable_data_ptr<float>() : nullptr;
    at::parallel_for(0, states, kStatesAGrain,
                     [&](int64_t begin, int64_t end) { attend_states(a, begin, end, out_data, weights_data); });
    return out;
  }

  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& q, const Tensor& q_offsets, bool shared,
                        const Tensor& kv, const Tensor& kv_offsets, int64_t heads, int64_t longest_q, int64_t longest_kv) {
    Tensor weights;
    const Attention a = describe(q, q_offsets, shared, kv, kv_offsets, heads, longest_q, longest_kv);
    const Tensor out = run(a, q_offsets.size(0) - 1, &weights);
    ctx->save_for_backward({q, q_offsets, kv, kv_offsets, weights});
    ctx->saved_data["shared"] = shared;
    ctx->saved_data["heads"] = heads;
    ctx->saved_data["longest_q"] = longest_q;
    ctx->saved_data["longest_kv"] = longest_kv;
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx, torch::autograd::variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor &q = saved[0], &kv = saved[2];
    const Tensor d_out = grads[0].contiguous();
    const Attention a = describe(q, saved[1], ctx->saved_data["shared"].toBool(), kv, saved[3], ctx->saved_data["heads"].toInt(),
                                 ctx->saved_data["longest_q"].toInt(), ctx->saved_data["longest_kv"].toInt());
    const int64_t states = saved[1].size(0) - 1, partials = (states + kStatesAPartial - 1) / kStatesAPartial;
    Tensor d_kv = at::empty_like(kv);
    Tensor d_q = a.shared ? at::zeros({partials, q.size(0), q.size(1)}, at::kFloat) : at::empty_like(q);
    const float *weights = saved[4].const_data_ptr<float>(), *d_out_data = d_out.const_data_ptr<float>();
    float *d_q_data = d_q.mutable_data_ptr<float>(), *d_kv_data = d_kv.mutable_data_ptr<float>();
    at::parallel_for(0, partials, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        attend_states_backward(a, part * kStatesAPartial, std::min(states, (part + 1) * kStatesAPartial), weights, d_out_data,
                               d_q_data + (a.shared ? part * q.numel() : 0), d_kv_data);
      }
    });
    if (a.shared) d_q = d_q.sum(0);
    return {d_q, {}, {}, d_kv, {}, {}, {}, {}};
  }
};

}  // namespace

Tensor segment_attention(const Tensor& q_in, const Segments& q_segments, bool shared, const Tensor& kv_in,
                         const Segments& kv_segments, int64_t heads) {
  const Tensor q = q_in.contiguous(), kv = kv_in.contiguous();
  if (at::GradMode::is_enabled() && (q.requires_grad() || kv.requires_grad())) {
    return SegmentAttention::apply(q, q_segments.offsets, shared, kv, kv_segments.offsets, heads, q_segments.longest,
                                   kv_segments.longest);
  }
  return SegmentAttention::run(describe(q, q_segments.offsets, shared, kv, kv_segments.offsets, heads, q_segments.longest,
                                        kv_segments.longest),
                               q_segments.states(), nullptr);
}

}  // namespace orbit

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

// Everything a thread needs to walk over states; pointers to rows of the whole batch.
struct Attention {
  const float *q, *kv;  // rows H and 2H apart
  const int64_t *q_at, *kv_at;
  bool shared;
  int64_t heads, hidden, max_queries, max_keys;  // the maxima rounded up to whole vectors

  int64_t width() const { return hidden / heads; }
  int64_t padded_width() const { return padded_to_lanes(width()); }
  int64_t queries(int64_t b) const { return q_at[b + 1] - q_at[b]; }
  int64_t keys(int64_t b) const { return kv_at[b + 1] - kv_at[b]; }
  const float* query(int64_t b, int64_t head) const { return q + (shared ? 0 : q_at[b] * hidden) + head * width(); }
  const float* key(int64_t b, int64_t head) const { return kv + kv_at[b] * 2 * hidden + head * width(); }
  // Weights of all queries of one state and head lie together: (queries, max_keys).
  int64_t weights_at(int64_t b, int64_t head) const { return (q_at[b] * heads + head * queries(b)) * max_keys; }
};

// (rows, width) with the given row distance -> (rows, padded) with zeros behind.
void copy_rows(const float* from, int64_t distance, int64_t rows, int64_t width, float* to) {
  const int64_t padded = padded_to_lanes(width);
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t c = 0; c < width; ++c) to[i * padded + c] = from[i * distance + c];
    for (int64_t c = width; c < padded; ++c) to[i * padded + c] = 0;
  }
}

// (rows, width) with the given row distance -> (width, padded rows) with zeros behind.
void copy_transposed(const float* from, int64_t distance, int64_t rows, int64_t width, float scale, float* to) {
  const int64_t padded = padded_to_lanes(rows);
  for (int64_t c = 0; c < width; ++c) {
    for (int64_t i = 0; i < rows; ++i) to[c * padded + i] = from[i * distance + c] * scale;
    for (int64_t i = rows; i < padded; ++i) to[c * padded + i] = 0;
  }
}

void store_rows(const float* from, int64_t rows, int64_t width, float* to, int64_t distance) {
  const int64_t padded = padded_to_lanes(width);
  for (int64_t i = 0; i < rows; ++i) std::memcpy(to + i * distance, from + i * padded, sizeof(float) * width);
}

// Softmax over the first `keys` of a row; the padding behind them becomes 0.
void softmax_row(float* row, int64_t keys) {
  const int64_t padded = padded_to_lanes(keys);
  for (int64_t j = keys; j < padded; ++j) row[j] = -1e30f;
  Float8 top = load8(row);
  for (int64_t j = kLanes; j < padded; j += kLanes) top = max8(top, load8(row + j));
  float most = top[0];
  for (int lane = 1; lane < kLanes; ++lane) most = most < top[lane] ? top[lane] : most;
  Float8 sum = {};
  for (int64_t j = 0; j < padded; j += kLanes) {
    const Float8 e = exp8(load8(row + j) - most);
    store8(row + j, e);
    sum += e;
  }
  const float scale = 1.0f / sum8(sum);
  for (int64_t j = 0; j < padded; j += kLanes) store8(row + j, load8(row + j) * scale);
  for (int64_t j = keys; j < padded; ++j) row[j] = 0;
}

// weights: (all query rows * heads, max_keys), kept for the backward pass, or null.
void attend_states(const Attention& a, int64_t begin, int64_t end, float* out, float* kept_weights) {
  const int64_t width = a.width(), padded = a.padded_width();
  std::vector<float> keys_t(width * a.max_keys), values(a.max_keys * padded), result(a.max_queries * padded);
  std::vector<float> scratch(kept_weights ? 0 : a.max_queries * a.max_keys);
  const float scale = 1.0f / std::sqrt(float(width));
  for (int64_t b = begin; b < end; ++b) {
    const int64_t m = a.queries(b), n = a.keys(b);
    for (int64_t head = 0; head < a.heads; ++head) {
      float* o = out + a.q_at[b] * a.hidden + head * width;
      if (n == 0) {
        for (int64_t i = 0; i < m; ++i) std::memset(o + i * a.hidden, 0, sizeof(float) * width);
        continue;
      }
      float* weights = kept_weights ? kept_weights + a.weights_at(b, head) : scratch.data();
      copy_transposed(a.key(b, head), 2 * a.hidden, n, width, scale, keys_t.data());
      copy_rows(a.key(b, head) + a.hidden, 2 * a.hidden, n, width, values.data());
      const int64_t n_padded = padded_to_lanes(n);
      small_gemm(a.query(b, head), a.hidden, 1, keys_t.data(), n_padded, weights, a.max_keys, m, n_padded, width);
      for (int64_t i = 0; i < m; ++i) softmax_row(weights + i * a.max_keys, n);
      small_gemm(weights, a.max_keys, 1, values.data(), padded, result.data(), padded, m, padded, n);
      store_rows(result.data(), m, width, o, a.hidden);
    }
  }
}

// Gradients of states [begin, end). d_q of shared queries is added up over them, else written.
void attend_states_backward(const Attention& a, int64_t begin, int64_t end, const float* weights_all, const float* d_out,
                            float* d_q, float* d_kv) {
  const int64_t width = a.width(), padded = a.padded_width();
  std::vector<float> values_t(width * a.max_keys), keys(a.max_keys * padded), queries(a.max_queries * padded);
  std::vector<float> d_rows(a.max_queries * padded), d_scores(a.max_queries * a.max_keys);
  std::vector<float> result(std::max(a.max_queries, a.max_keys) * padded);
  const float scale = 1.0f / std::sqrt(float(width));
  for (int64_t b = begin; b < end; ++b) {
    const int64_t m = a.queries(b), n = a.keys(b), n_padded = padded_to_lanes(n);
    for (int64_t head = 0; head < a.heads; ++head) {
      float* to_q = d_q + (a.shared ? 0 : a.q_at[b] * a.hidden) + head * width;
      if (n == 0) {
        for (int64_t i = 0; i < m && !a.shared; ++i) std::memset(to_q + i * a.hidden, 0, sizeof(float) * width);
        continue;
      }
      const float* key = a.key(b, head);
      const float* weights = weights_all + a.weights_at(b, head);
      copy_rows(key, 2 * a.hidden, n, width, keys.data());
      copy_transposed(key + a.hidden, 2 * a.hidden, n, width, 1.0f, values_t.data());
      copy_rows(a.query(b, head), a.hidden, m, width, queries.data());
      copy_rows(d_out + a.q_at[b] * a.hidden + head * width, a.hidden, m, width, d_rows.data());
      // d_weights = d_out values^T, then through the softmax: d_scores = w * (d_w - sum(w * d_w)).
      small_gemm(d_rows.data(), padded, 1, values_t.data(), n_padded, d_scores.data(), n_padded, m, n_padded, width);
      for (int64_t i = 0; i < m; ++i) {
        const float* w = weights + i * a.max_keys;
        float* d = d_scores.data() + i * n_padded;
        Float8 dot = {};
        for (int64_t j = 0; j < n_padded; j += kLanes) dot += load8(w + j) * load8(d + j);
        const float mean = sum8(dot);
        for (int64_t j = 0; j < n_padded; j += kLanes) store8(d + j, load8(w + j) * (load8(d + j) - mean) * scale);
      }
      small_gemm(d_scores.data(), n_padded, 1, keys.data(), padded, result.data(), padded, m, padded, n);
      if (a.shared) {
        for (int64_t i = 0; i < m; ++i) {
          for (int64_t c = 0; c < width; ++c) to_q[i * a.hidden + c] += result[i * padded + c];
        }
      } else {
        store_rows(result.data(), m, width, to_q, a.hidden);
      }
      float* to_kv = d_kv + a.kv_at[b] * 2 * a.hidden + head * width;
      small_gemm(d_scores.data(), 1, n_padded, queries.data(), padded, result.data(), padded, n, padded, m);
      store_rows(result.data(), n, width, to_kv, 2 * a.hidden);
      small_gemm(weights, 1, a.max_keys, d_rows.data(), padded, result.data(), padded, n, padded, m);
      store_rows(result.data(), n, width, to_kv + a.hidden, 2 * a.hidden);
    }
  }
}

Attention describe(const Tensor& q, const Tensor& q_offsets, bool shared, const Tensor& kv, const Tensor& kv_offsets,
                   int64_t heads, int64_t longest_q, int64_t longest_kv) {
  return {q.const_data_ptr<float>(),         kv.const_data_ptr<float>(), q_offsets.const_data_ptr<int64_t>(),
          kv_offsets.const_data_ptr<int64_t>(), shared,                     heads,
          q.size(1),                         longest_q,                  padded_to_lanes(std::max<int64_t>(longest_kv, 1))};
}

constexpr int64_t kStatesAGrain = 4;    // states a thread takes at least
constexpr int64_t kStatesAPartial = 32;  // states of one partial sum: fixed, so sums do not depend on the number of threads

class SegmentAttention : public torch::autograd::Function<SegmentAttention> {
 public:
  static Tensor run(const Attention& a, int64_t states, Tensor* weights) {
    const int64_t rows = a.q_at[states];
    Tensor out = at::empty({rows, a.hidden}, at::kFloat);
    if (weights) *weights = at::empty({rows * a.heads, a.max_keys}, at::kFloat);
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

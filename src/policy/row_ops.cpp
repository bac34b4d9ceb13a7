#include "src/policy/row_ops.h"

#include <vector>

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "extensions/kernels/small_gemm.h"

namespace orbit {
namespace {

using at::Tensor;

constexpr int64_t kStatesAGrain = 16;

Tensor add_relu(const Tensor& rows, const Tensor& per_state, const Tensor& offsets) {
  const int64_t h = rows.size(1);
  Tensor out = at::empty_like(rows);
  const float *x = rows.const_data_ptr<float>(), *s = per_state.const_data_ptr<float>();
  const int64_t* at = offsets.const_data_ptr<int64_t>();
  float* o = out.mutable_data_ptr<float>();
  at::parallel_for(0, offsets.size(0) - 1, kStatesAGrain, [&](int64_t begin, int64_t end) {
    for (int64_t b = begin; b < end; ++b) {
      for (int64_t i = at[b]; i < at[b + 1]; ++i) {
        for (int64_t c = 0; c < h; ++c) {
          const float sum = x[i * h + c] + s[b * h + c];
          o[i * h + c] = sum > 0 ? sum : 0;
        }
      }
    }
  });
  return out;
}

class AddStateRelu : public torch::autograd::Function<AddStateRelu> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& rows, const Tensor& per_state, const Tensor& offsets) {
    const Tensor out = add_relu(rows, per_state, offsets);
    ctx->save_for_backward({out, offsets});
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx, torch::autograd::variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor &out = saved[0], &offsets = saved[1];
    const Tensor d_out = grads[0].contiguous();
    const int64_t h = out.size(1), states = offsets.size(0) - 1;
    Tensor d_rows = at::empty_like(out), d_state = at::empty({states, h}, at::kFloat);
    const float *o = out.const_data_ptr<float>(), *g = d_out.const_data_ptr<float>();
    const int64_t* at = offsets.const_data_ptr<int64_t>();
    float *to_rows = d_rows.mutable_data_ptr<float>(), *to_state = d_state.mutable_data_ptr<float>();
    at::parallel_for(0, states, kStatesAGrain, [&](int64_t begin, int64_t end) {
      for (int64_t b = begin; b < end; ++b) {
        float* sum = to_state + b * h;
        std::memset(sum, 0, sizeof(float) * h);
        for (int64_t i = at[b]; i < at[b + 1]; ++i) {
          for (int64_t c = 0; c < h; ++c) {
            const float d = o[i * h + c] > 0 ? g[i * h + c] : 0;
            to_rows[i * h + c] = d;
            sum[c] += d;
          }
        }
      }
    });
    return {d_rows, d_state, {}};
  }
};

// What both passes of pair_logits walk over. Planets of one state in vectors: keys transposed, H rows of padded planets.
struct Pairs {
  const int64_t *acting_at, *planets_at, *slot;
  int64_t h, h_padded, columns, longest_acting, longest_planets;

  int64_t acting(int64_t b) const { return acting_at[b + 1] - acting_at[b]; }
  int64_t planets(int64_t b) const { return planets_at[b + 1] - planets_at[b]; }
  int64_t column(int64_t b, int64_t j) const { return slot[planets_at[b] + j] - b * (columns - 1); }
};

Pairs describe(const Tensor& acting, const Tensor& planets, const Tensor& slots, int64_t h, int64_t columns, int64_t longest_acting,
               int64_t longest_planets) {
  return {acting.const_data_ptr<int64_t>(), planets.const_data_ptr<int64_t>(), slots.const_data_ptr<int64_t>(), h,
          padded_to_lanes(h), columns, longest_acting, padded_to_lanes(longest_planets)};
}

void score_states(const Pairs& p, int64_t begin, int64_t end, const float* queries, const float* offset, const float* keys,
                  const float* noop, float* logits) {
  std::vector<float> keys_t(p.h * p.longest_planets), scores(p.longest_acting * p.longest_planets);
  for (int64_t b = begin; b < end; ++b) {
    const int64_t m = p.acting(b), n = p.planets(b), n_padded = padded_to_lanes(n), first = p.acting_at[b];
    if (m == 0) continue;
    const float* key = keys + p.planets_at[b] * p.h;
    for (int64_t c = 0; c < p.h; ++c) {
      for (int64_t j = 0; j < n_padded; ++j) keys_t[c * n_padded + j] = j < n ? key[j * p.h + c] : 0;
    }
    small_gemm(queries + first * p.h, p.h, 1, keys_t.data(), n_padded, scores.data(), n_padded, m, n_padded, p.h);
    for (int64_t i = 0; i < m; ++i) {
      float* row = logits + (first + i) * p.columns;
      for (int64_t t = 0; t < p.columns - 1; ++t) row[t] = -1e9f;
      for (int64_t j = 0; j < n; ++j) row[p.column(b, j)] = scores[i * n_padded + j] + offset[first + i];
      row[p.columns - 1] = noop[first + i];
    }
  }
}

void score_states_backward(const Pairs& p, int64_t begin, int64_t end, const float* queries, const float* keys,
                           const float* d_logits, float* d_queries, float* d_offset, float* d_keys, float* d_noop) {
  std::vector<float> d_scores(p.longest_acting * p.longest_planets), right(std::max(p.longest_acting, p.longest_planets) * p.h_padded);
  std::vector<float> result(right.size());
  const auto padded_rows = [&](const float* from, int64_t rows) {
    for (int64_t i = 0; i < rows; ++i) {
      std::memcpy(right.data() + i * p.h_padded, from + i * p.h, sizeof(float) * p.h);
      for (int64_t c = p.h; c < p.h_padded; ++c) right[i * p.h_padded + c] = 0;
    }
    return right.data();
  };
  const auto store = [&](float* to, int64_t rows) {
    for (int64_t i = 0; i < rows; ++i) std::memcpy(to + i * p.h, result.data() + i * p.h_padded, sizeof(float) * p.h);
  };
  for (int64_t b = begin; b < end; ++b) {
    const int64_t m = p.acting(b), n = p.planets(b), first = p.acting_at[b];
    for (int64_t i = 0; i < m; ++i) {
      const float* row = d_logits + (first + i) * p.columns;
      float sum = 0;
      for (int64_t j = 0; j < n; ++j) sum += d_scores[i * n + j] = row[p.column(b, j)];
      d_offset[first + i] = sum;
      d_noop[first + i] = row[p.columns - 1];
    }
    if (n == 0) continue;
    small_gemm(d_scores.data(), n, 1, padded_rows(keys + p.planets_at[b] * p.h, n), p.h_padded, result.data(), p.h_padded, m,
               p.h_padded, n);
    store(d_queries + first * p.h, m);
    small_gemm(d_scores.data(), 1, n, padded_rows(queries + first * p.h, m), p.h_padded, result.data(), p.h_padded, n, p.h_padded, m);
    store(d_keys + p.planets_at[b] * p.h, n);
  }
}

class PairLogits : public torch::autograd::Function<PairLogits> {
 public:
  static Tensor run(const Pairs& p, int64_t states, const Tensor& queries, const Tensor& offset, const Tensor& keys,
                    const Tensor& noop) {
    Tensor logits = at::empty({queries.size(0), p.columns}, at::kFloat);
    at::parallel_for(0, states, kStatesAGrain, [&](int64_t begin, int64_t end) {
      score_states(p, begin, end, queries.const_data_ptr<float>(), offset.const_data_ptr<float>(), keys.const_data_ptr<float>(),
                   noop.const_data_ptr<float>(), logits.mutable_data_ptr<float>());
    });
    return logits;
  }

  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& queries, const Tensor& acting, const Tensor& offset,
                        const Tensor& keys, const Tensor& planets, const Tensor& slots, const Tensor& noop, int64_t columns,
                        int64_t longest_acting, int64_t longest_planets) {
    ctx->save_for_backward({queries, acting, keys, planets, slots});
    ctx->saved_data["columns"] = columns;
    ctx->saved_data["longest_acting"] = longest_acting;
    ctx->saved_data["longest_planets"] = longest_planets;
    const Pairs p = describe(acting, planets, slots, keys.size(1), columns, longest_acting, longest_planets);
    return run(p, acting.size(0) - 1, queries, offset, keys, noop);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx, torch::autograd::variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor &queries = saved[0], &keys = saved[2];
    const Tensor d_logits = grads[0].contiguous();
    const Pairs p = describe(saved[1], saved[3], saved[4], keys.size(1), ctx->saved_data["columns"].toInt(),
                             ctx->saved_data["longest_acting"].toInt(), ctx->saved_data["longest_planets"].toInt());
    Tensor d_queries = at::empty_like(queries), d_keys = at::empty_like(keys);
    Tensor d_offset = at::empty({queries.size(0)}, at::kFloat), d_noop = at::empty_like(d_offset);
    if (keys.size(0) == 0) d_queries.zero_();
    at::parallel_for(0, saved[1].size(0) - 1, kStatesAGrain, [&](int64_t begin, int64_t end) {
      score_states_backward(p, begin, end, queries.const_data_ptr<float>(), keys.const_data_ptr<float>(),
                            d_logits.const_data_ptr<float>(), d_queries.mutable_data_ptr<float>(), d_offset.mutable_data_ptr<float>(),
                            d_keys.mutable_data_ptr<float>(), d_noop.mutable_data_ptr<float>());
    });
    return {d_queries, {}, d_offset, d_keys, {}, {}, d_noop, {}, {}, {}};
  }
};

}  // namespace

Tensor add_state_relu(const Tensor& rows, const Tensor& per_state, const Segments& segments) {
  if (at::GradMode::is_enabled() && (rows.requires_grad() || per_state.requires_grad())) {
    return AddStateRelu::apply(rows, per_state, segments.offsets);
  }
  return add_relu(rows, per_state, segments.offsets);
}

Tensor pair_logits(const Tensor& queries, const Segments& acting, const Tensor& offset, const Tensor& keys, const Segments& planets,
                   const Tensor& slots, const Tensor& noop, int64_t slots_a_state) {
  const int64_t columns = slots_a_state + 1;
  if (at::GradMode::is_enabled() && (queries.requires_grad() || keys.requires_grad())) {
    return PairLogits::apply(queries, acting.offsets, offset, keys, planets.offsets, slots, noop, columns, acting.longest,
                             planets.longest);
  }
  const Pairs p = describe(acting.offsets, planets.offsets, slots, keys.size(1), columns, acting.longest, planets.longest);
  return PairLogits::run(p, acting.states(), queries, offset, keys, noop);
}

}  // namespace orbit

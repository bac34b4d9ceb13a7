#include <cmath>

#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/custom_function.h>

#include "src/policy/row_ops.h"
#include "src/policy/small_gemm.h"

namespace orbit {
namespace {

using at::Tensor;

constexpr float kEps = 1e-5f;
constexpr int64_t kRowsAPartial = 256;

// s = a + r (over a), and its mean and 1/deviation over H.
void add_and_measure(float* a, const float* r, int64_t h, float& mean, float& inverse) {
  const int64_t whole = h / kLanes * kLanes;
  Float8 sums = {};
  float sum = 0;
  for (int64_t c = 0; c < whole; c += kLanes) {
    const Float8 s = load8(a + c) + load8(r + c);
    store8(a + c, s);
    sums += s;
  }
  for (int64_t c = whole; c < h; ++c) sum += a[c] += r[c];
  mean = (sum + sum8(sums)) / float(h);
  Float8 squares = {};
  float square = 0;
  for (int64_t c = 0; c < whole; c += kLanes) {
    const Float8 d = load8(a + c) - mean;
    squares += d * d;
  }
  for (int64_t c = whole; c < h; ++c) square += (a[c] - mean) * (a[c] - mean);
  inverse = 1.0f / std::sqrt((square + sum8(squares)) / float(h) + kEps);
}

void normalise(const float* s, float mean, float inverse, const float* weight, const float* bias, int64_t h, float* out) {
  for (int64_t c = 0; c < h; ++c) out[c] = (s[c] - mean) * inverse * weight[c] + bias[c];
}

Tensor run(const Tensor& a, const Tensor& residual, const Tensor& weight, const Tensor& bias, Tensor* statistics) {
  const int64_t rows = a.size(0), h = a.size(1), period = residual.size(0);
  Tensor out = at::empty_like(a);
  if (statistics) *statistics = at::empty({rows, 2}, at::kFloat);
  float *a_data = a.mutable_data_ptr<float>(), *out_data = out.mutable_data_ptr<float>();
  float* kept = statistics ? statistics->mutable_data_ptr<float>() : nullptr;
  const float *r_data = residual.const_data_ptr<float>(), *w = weight.const_data_ptr<float>(), *b = bias.const_data_ptr<float>();
  at::parallel_for(0, rows, kRowsAPartial, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      float mean, inverse;
      add_and_measure(a_data + i * h, r_data + i % period * h, h, mean, inverse);
      normalise(a_data + i * h, mean, inverse, w, b, h, out_data + i * h);
      if (kept) {
        kept[2 * i] = mean;
        kept[2 * i + 1] = inverse;
      }
    }
  });
  return out;
}

// d_s of one row, and its share of the weights' gradients. With n = (s - mean) * inverse and g = d_out * weight:
// d_s = inverse * (g - mean(g) - n * mean(g n)).
void normalise_backward(const float* s, float mean, float inverse, const float* weight, const float* d_out, int64_t h, float* d_s,
                        float* d_weight, float* d_bias) {
  const int64_t whole = h / kLanes * kLanes;
  Float8 sums = {}, products = {};
  float sum = 0, product = 0;
  for (int64_t c = 0; c < whole; c += kLanes) {
    const Float8 n = (load8(s + c) - mean) * inverse, d = load8(d_out + c), g = d * load8(weight + c);
    sums += g;
    products += g * n;
    store8(d_weight + c, load8(d_weight + c) + d * n);
    store8(d_bias + c, load8(d_bias + c) + d);
  }
  for (int64_t c = whole; c < h; ++c) {
    const float n = (s[c] - mean) * inverse, g = d_out[c] * weight[c];
    sum += g;
    product += g * n;
    d_weight[c] += d_out[c] * n;
    d_bias[c] += d_out[c];
  }
  const float mean_g = (sum + sum8(sums)) / float(h), mean_gn = (product + sum8(products)) / float(h);
  for (int64_t c = 0; c < h; ++c) {
    const float n = (s[c] - mean) * inverse;
    d_s[c] = inverse * (d_out[c] * weight[c] - mean_g - n * mean_gn);
  }
}

class ResidualNorm : public torch::autograd::Function<ResidualNorm> {
 public:
  static Tensor forward(torch::autograd::AutogradContext* ctx, const Tensor& a, const Tensor& residual, const Tensor& weight,
                        const Tensor& bias) {
    Tensor statistics;
    const Tensor out = run(a, residual, weight, bias, &statistics);
    ctx->save_for_backward({a.detach(), statistics, weight});  // a holds the sum now
    ctx->saved_data["period"] = residual.size(0);
    return out;
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* ctx, torch::autograd::variable_list grads) {
    const auto saved = ctx->get_saved_variables();
    const Tensor &sum = saved[0], &statistics = saved[1], &weight = saved[2];
    const Tensor d_out = grads[0].contiguous();
    const int64_t rows = sum.size(0), h = sum.size(1), partials = (rows + kRowsAPartial - 1) / kRowsAPartial;
    const int64_t period = ctx->saved_data["period"].toInt();
    Tensor d_s = at::empty_like(sum), d_affine = at::zeros({partials, 2, h}, at::kFloat);
    const float *s = sum.const_data_ptr<float>(), *kept = statistics.const_data_ptr<float>();
    const float *w = weight.const_data_ptr<float>(), *g = d_out.const_data_ptr<float>();
    float *to_s = d_s.mutable_data_ptr<float>(), *to_affine = d_affine.mutable_data_ptr<float>();
    at::parallel_for(0, partials, 1, [&](int64_t begin, int64_t end) {
      for (int64_t part = begin; part < end; ++part) {
        float *d_weight = to_affine + part * 2 * h, *d_bias = d_weight + h;
        for (int64_t i = part * kRowsAPartial; i < std::min(rows, (part + 1) * kRowsAPartial); ++i) {
          normalise_backward(s + i * h, kept[2 * i], kept[2 * i + 1], w, g + i * h, h, to_s + i * h, d_weight, d_bias);
        }
      }
    });
    const Tensor affine = d_affine.sum(0);
    const Tensor d_residual = period == rows ? d_s : d_s.view({rows / period, period, h}).sum(0);
    return {d_s, d_residual, affine.select(0, 0), affine.select(0, 1)};
  }
};

}  // namespace

Tensor residual_norm(const Tensor& a, const Tensor& residual, const Tensor& weight, const Tensor& bias) {
  if (at::GradMode::is_enabled() && (a.requires_grad() || residual.requires_grad() || weight.requires_grad())) {
    return ResidualNorm::apply(a, residual, weight, bias);
  }
  return run(a, residual, weight, bias, nullptr);
}

}  // namespace orbit

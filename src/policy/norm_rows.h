// LayerNorm of single rows, with what stands around it in an attention block: bias and residual before, scale and shift behind.
#pragma once
#include <cmath>

#include "src/policy/small_gemm.h"

namespace orbit {

constexpr float kNormEps = 1e-5f;

// row: a product on entry, n = (s - mean(s)) / deviation(s) on exit, with s = row + bias + residual. out = n * weight + shift.
// Returns 1 / deviation.
inline float normalise_row(float* row, const float* bias, const float* residual, const float* weight, const float* shift, int64_t h,
                           float* out) {
  const int64_t whole = h / kLanes * kLanes;
  Float8 sums = {};
  float sum = 0;
  for (int64_t c = 0; c < whole; c += kLanes) {
    const Float8 s = load8(row + c) + load8(bias + c) + load8(residual + c);
    store8(row + c, s);
    sums += s;
  }
  for (int64_t c = whole; c < h; ++c) sum += row[c] += bias[c] + residual[c];
  const float mean = (sum + sum8(sums)) / float(h);
  Float8 squares = {};
  float square = 0;
  for (int64_t c = 0; c < whole; c += kLanes) {
    const Float8 d = load8(row + c) - mean;
    squares += d * d;
  }
  for (int64_t c = whole; c < h; ++c) square += (row[c] - mean) * (row[c] - mean);
  const float inverse = 1.0f / std::sqrt((square + sum8(squares)) / float(h) + kNormEps);
  for (int64_t c = 0; c < whole; c += kLanes) {
    const Float8 n = (load8(row + c) - mean) * inverse;
    store8(row + c, n);
    store8(out + c, n * load8(weight + c) + load8(shift + c));
  }
  for (int64_t c = whole; c < h; ++c) {
    row[c] = (row[c] - mean) * inverse;
    out[c] = row[c] * weight[c] + shift[c];
  }
  return inverse;
}

// Gradient sums of one LayerNorm and the bias before it, (H) each; rows are added to them.
struct NormGradients {
  float *weight, *shift, *bias;
};

// d_s = inverse * (g - mean(g) - n * mean(g n)) with g = d_out * weight. d_s may be d_out.
inline void normalise_row_backward(const float* n, float inverse, const float* weight, const float* d_out, int64_t h, float* d_s,
                                   const NormGradients& to) {
  const int64_t whole = h / kLanes * kLanes;
  Float8 sums = {}, products = {};
  float sum = 0, product = 0;
  for (int64_t c = 0; c < whole; c += kLanes) {
    const Float8 d = load8(d_out + c), dn = d * load8(n + c), w = load8(weight + c);
    sums += d * w;
    products += dn * w;
    store8(to.weight + c, load8(to.weight + c) + dn);
    store8(to.shift + c, load8(to.shift + c) + d);
  }
  for (int64_t c = whole; c < h; ++c) {
    sum += d_out[c] * weight[c];
    product += d_out[c] * weight[c] * n[c];
    to.weight[c] += d_out[c] * n[c];
    to.shift[c] += d_out[c];
  }
  const float mean_g = (sum + sum8(sums)) / float(h), mean_gn = (product + sum8(products)) / float(h);
  for (int64_t c = 0; c < whole; c += kLanes) {
    const Float8 d = (load8(d_out + c) * load8(weight + c) - mean_g - load8(n + c) * mean_gn) * inverse;
    store8(d_s + c, d);
    store8(to.bias + c, load8(to.bias + c) + d);
  }
  for (int64_t c = whole; c < h; ++c) {
    d_s[c] = (d_out[c] * weight[c] - mean_g - n[c] * mean_gn) * inverse;
    to.bias[c] += d_s[c];
  }
}

}  // namespace orbit

// LayerNorm of rows with what stands around it in an attention block, and the activation; see kernels.h.
#pragma once
#include "src/policy/kernels/kernels.h"
#include "extensions/kernels/vectors.h"

namespace orbit {
inline namespace ORBIT_KERNEL_SET {

constexpr float kNormEps = 1e-5f;

inline float normalise_row(float* row, const float* bias, const float* residual, const float* weight, const float* shift, int64_t h,
                           float* out) {
  constexpr int64_t w = kWidth<Floats>;
  const int64_t whole = h / w * w;
  Floats sums = {};
  float total = 0;
  for (int64_t c = 0; c < whole; c += w) {
    const Floats s = load<Floats>(row + c) + load<Floats>(bias + c) + load<Floats>(residual + c);
    store<Floats>(row + c, s);
    sums += s;
  }
  for (int64_t c = whole; c < h; ++c) total += row[c] += bias[c] + residual[c];
  const float mean = (total + sum(sums)) / float(h);
  Floats squares = {};
  float square = 0;
  for (int64_t c = 0; c < whole; c += w) {
    const Floats d = load<Floats>(row + c) - mean;
    squares += d * d;
  }
  for (int64_t c = whole; c < h; ++c) square += (row[c] - mean) * (row[c] - mean);
  const float inverse = 1.0f / __builtin_sqrtf((square + sum(squares)) / float(h) + kNormEps);
  for (int64_t c = 0; c < whole; c += w) {
    const Floats n = (load<Floats>(row + c) - mean) * inverse;
    store<Floats>(row + c, n);
    store<Floats>(out + c, n * load<Floats>(weight + c) + load<Floats>(shift + c));
  }
  for (int64_t c = whole; c < h; ++c) {
    row[c] = (row[c] - mean) * inverse;
    out[c] = row[c] * weight[c] + shift[c];
  }
  return inverse;
}

inline void normalise(float* rows, int64_t count, int64_t h, const float* bias, const float* residual, int64_t first, int64_t period,
                      const float* weight, const float* shift, float* out, float* inverse) {
  for (int64_t i = 0; i < count; ++i)
    inverse[i] = normalise_row(rows + i * h, bias, residual + (first + i) % period * h, weight, shift, h, out + i * h);
}

inline void normalise_row_backward(const float* n, float inverse, const float* weight, const float* d_out, int64_t h, float* d_s,
                                   const NormGradients& to) {
  constexpr int64_t w = kWidth<Floats>;
  const int64_t whole = h / w * w;
  Floats sums = {}, products = {};
  float total = 0, product = 0;
  for (int64_t c = 0; c < whole; c += w) {
    const Floats d = load<Floats>(d_out + c), dn = d * load<Floats>(n + c), scale = load<Floats>(weight + c);
    sums += d * scale;
    products += dn * scale;
    store<Floats>(to.weight + c, load<Floats>(to.weight + c) + dn);
    store<Floats>(to.shift + c, load<Floats>(to.shift + c) + d);
  }
  for (int64_t c = whole; c < h; ++c) {
    total += d_out[c] * weight[c];
    product += d_out[c] * weight[c] * n[c];
    to.weight[c] += d_out[c] * n[c];
    to.shift[c] += d_out[c];
  }
  const float mean_g = (total + sum(sums)) / float(h), mean_gn = (product + sum(products)) / float(h);
  for (int64_t c = 0; c < whole; c += w) {
    const Floats d = (load<Floats>(d_out + c) * load<Floats>(weight + c) - mean_g - load<Floats>(n + c) * mean_gn) * inverse;
    store<Floats>(d_s + c, d);
    store<Floats>(to.bias + c, load<Floats>(to.bias + c) + d);
  }
  for (int64_t c = whole; c < h; ++c) {
    d_s[c] = (d_out[c] * weight[c] - mean_g - n[c] * mean_gn) * inverse;
    to.bias[c] += d_s[c];
  }
}

inline void normalise_backward(const float* n, const float* inverse, const float* weight, const float* d_out, int64_t count, int64_t h,
                               float* d_s, const NormGradients& to) {
  for (int64_t i = 0; i < count; ++i) normalise_row_backward(n + i * h, inverse[i], weight, d_out + i * h, h, d_s + i * h, to);
}

inline void add_bias_relu(float* rows, const float* bias, int64_t count, int64_t h) {
  for (int64_t i = 0; i < count; ++i) {
    float* row = rows + i * h;
    for (int64_t c = 0; c < h; ++c) {
      const float s = row[c] + bias[c];
      row[c] = s > 0 ? s : 0;
    }
  }
}

inline void relu_backward(float* d, const float* rows, int64_t count, int64_t h, float* d_bias) {
  for (int64_t i = 0; i < count; ++i) {
    float* d_row = d + i * h;
    const float* row = rows + i * h;
    for (int64_t c = 0; c < h; ++c) {
      d_row[c] = row[c] > 0 ? d_row[c] : 0;
      d_bias[c] += d_row[c];
    }
  }
}

inline void scale_shift(const float* n, const float* weight, const float* shift, int64_t count, int64_t h, float* out) {
  for (int64_t i = 0; i < count; ++i)
    for (int64_t c = 0; c < h; ++c) out[i * h + c] = n[i * h + c] * weight[c] + shift[c];
}

inline void add_rows(const float* rows, int64_t count, int64_t h, int64_t period, float* to) {
  for (int64_t i = 0; i < count; ++i) {
    float* sum = to + i % period * h;
    for (int64_t c = 0; c < h; ++c) sum[c] += rows[i * h + c];
  }
}

}  // namespace ORBIT_KERNEL_SET
}  // namespace orbit

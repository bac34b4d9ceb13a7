// The perceptron's two passes over a tile of states: matrix products with the activation, or its derivative, in their last step.
#pragma once
#include "extensions/kernels/small_gemm.h"
#include "extensions/mlp/mlp_net.h"

namespace orbit {
inline namespace ORBIT_KERNEL_SET {

// packed (MlpLayout::packed_floats): zero in its padding. with_backward: also what mlp_backward needs.
inline void mlp_pack(const MlpNet& net, bool with_backward, float* packed) {
  const MlpLayout at(net);
  for (int l = 0; l < net.layers; ++l) {
    const MlpLayer& w = net.layer[l];
    const int64_t out = padded_to_lanes(w.out), in = padded_to_lanes(w.in);
    int64_t first = 0;
    for (int p = 0; p < w.parts; first += w.rows[p++]) {
      transpose(w.weight[p], w.in, w.rows[p], w.in, packed + at.forward[l] + first, out);
      std::memcpy(packed + at.bias[l] + first, w.bias[p], sizeof(float) * size_t(w.rows[p]));
      for (int64_t r = 0; with_backward && l > 0 && !w.goes_back_as_it_is() && r < w.rows[p]; ++r)
        std::memcpy(packed + at.backward[l] + (first + r) * in, w.weight[p] + r * w.in, sizeof(float) * size_t(w.in));
    }
  }
}

// In place. Behind a product rather than within its last step, where the sums leave no registers; four vectors at once hide how long
// each takes. count: a multiple of kLanes.
inline void tanh_all(float* x, int64_t count) {
  constexpr int64_t kVectors = 4, w = kWidth<Floats>;
  int64_t i = 0;
  for (; i + kVectors * w <= count; i += kVectors * w) {
    Floats y[kVectors];
#pragma GCC unroll 4
    for (int64_t k = 0; k < kVectors; ++k) y[k] = tanh_of(load<Floats>(x + i + k * w));
#pragma GCC unroll 4
    for (int64_t k = 0; k < kVectors; ++k) store(x + i + k * w, y[k]);
  }
  for (; i < count; i += kLanes) store(x + i, tanh_of(load<Float8>(x + i)));
}

// x (rows, inputs) with rows ldx apart, rows <= kTileRows. tile[hidden[l]] gets the outputs of layer l.
inline void mlp_forward(const MlpNet& net, const float* packed, const float* x, int64_t ldx, int64_t rows, float* tile) {
  const MlpLayout at(net);
  for (int l = 0; l < net.layers; ++l) {
    const MlpLayer& w = net.layer[l];
    const int64_t out = padded_to_lanes(w.out);
    const float *weight = packed + at.forward[l], *bias = packed + at.bias[l];
    float* h = tile + at.hidden[l];
    const int64_t columns = padded_to_quads(w.out);
    const auto product = [&](const auto& finish) { small_gemm(x, ldx, 1, weight, out, h, out, rows, columns, w.in, finish); };
    if (l + 1 == net.layers) {
      product([&](auto sum, int64_t, int64_t j) { return sum + load<decltype(sum)>(bias + j); });
    } else if (net.relu) {
      product([&](auto sum, int64_t, int64_t j) { return max(decltype(sum){}, sum + load<decltype(sum)>(bias + j)); });
    } else {
      product([&](auto sum, int64_t, int64_t j) { return sum + load<decltype(sum)>(bias + j); });
      tanh_all(h, rows * out);
    }
    x = h, ldx = out;
  }
}

// to[j] += the sum of column j; columns a multiple of kLanes.
inline void add_column_sums(const float* d, int64_t rows, int64_t columns, float* to) {
  for (int64_t j = 0; j < columns; j += kLanes) {
    Float8 sum = load<Float8>(to + j);
    for (int64_t i = 0; i < rows; ++i) sum += load<Float8>(d + i * columns + j);
    store(to + j, sum);
  }
}

// After mlp_forward on the same tile, and with tile[slope[0]] the gradient with respect to the outputs, (rows, padded outputs), 0 in
// the padding. gradient (MlpLayout::gradient_floats): gradients of the parameters are added to it.
inline void mlp_backward(const MlpNet& net, const float* packed, const float* x, int64_t ldx, int64_t rows, float* tile, float* gradient) {
  const MlpLayout at(net);
  int side = 0;
  for (int l = net.layers - 1; l >= 0; --l, side ^= 1) {
    const MlpLayer& w = net.layer[l];
    const int64_t out = padded_to_lanes(w.out), in = padded_to_lanes(w.in);
    const float* d = tile + at.slope[side];
    const float* input = l > 0 ? tile + at.hidden[l - 1] : x;
    const int64_t ld = l > 0 ? in : ldx;
    float* to = gradient + at.forward[l];
    small_gemm(input, 1, ld, d, out, to, out, w.in, padded_to_quads(w.out), rows,
               [&](auto sum, int64_t i, int64_t j) { return sum + load<decltype(sum)>(to + i * out + j); });
    add_column_sums(d, rows, out, gradient + at.bias[l]);
    if (l == 0) return;
    float* before = tile + at.slope[side ^ 1];
    const float* weight = w.goes_back_as_it_is() ? w.weight[0] : packed + at.backward[l];
    const int64_t columns = padded_to_quads(w.in);
    const auto product = [&](const auto& finish) { small_gemm(d, out, 1, weight, in, before, in, rows, columns, w.out, finish); };
    if (net.relu) {
      product([&](auto sum, int64_t i, int64_t j) {
        const auto h = load<decltype(sum)>(input + i * in + j);
        return h > 0 ? sum : decltype(sum){};
      });
    } else {
      product([&](auto sum, int64_t i, int64_t j) {
        const auto h = load<decltype(sum)>(input + i * in + j);
        return sum * (1.0f - h * h);
      });
    }
  }
}

// The packed gradient as the tensors' own.
inline void mlp_unpack_gradient(const MlpNet& net, const float* gradient) {
  const MlpLayout at(net);
  for (int l = 0; l < net.layers; ++l) {
    const MlpLayer& w = net.layer[l];
    const int64_t out = padded_to_lanes(w.out);
    int64_t first = 0;
    for (int p = 0; p < w.parts; first += w.rows[p++]) {
      transpose(gradient + at.forward[l] + first, out, w.in, w.rows[p], w.d_weight[p], w.in);
      std::memcpy(w.d_bias[p], gradient + at.bias[l] + first, sizeof(float) * size_t(w.rows[p]));
    }
  }
}

}  // namespace ORBIT_KERNEL_SET
}  // namespace orbit

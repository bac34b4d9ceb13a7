// Attention over the planets of single states; what each function does stands at its pointer in kernels.h.
#pragma once
#include "src/policy/kernels/kernels.h"
#include "extensions/kernels/small_gemm.h"

namespace orbit {
inline namespace ORBIT_KERNEL_SET {

// Softmax over the rows of (rows, width of V) with rows `distance` apart.
template <class V>
inline void softmax_block(float* scores, int64_t rows, int64_t distance) {
  V top = load<V>(scores), total = {};
  for (int64_t j = 1; j < rows; ++j) top = max(top, load<V>(scores + j * distance));
  for (int64_t j = 0; j < rows; ++j) {
    const V e = exp_of(load<V>(scores + j * distance) - top);
    store<V>(scores + j * distance, e);
    total += e;
  }
  const V scale = 1.0f / total;
  for (int64_t j = 0; j < rows; ++j) store<V>(scores + j * distance, load<V>(scores + j * distance) * scale);
}

// columns: a multiple of 8.
inline void softmax_over_rows(float* scores, int64_t rows, int64_t columns, int64_t distance) {
  int64_t i = 0;
  for (; i + kWidth<Floats> <= columns; i += kWidth<Floats>) softmax_block<Floats>(scores + i, rows, distance);
  for (; i < columns; i += 8) softmax_block<Float8>(scores + i, rows, distance);
}

// Through the softmax, in place: d_scores = w * (d_w - sum over rows of w * d_w), times the scale of the scores.
template <class V>
inline void softmax_block_backward(const float* weights, float* d, int64_t rows, int64_t distance, int64_t d_distance, float scale) {
  V dot = {};
  for (int64_t j = 0; j < rows; ++j) dot += load<V>(weights + j * distance) * load<V>(d + j * d_distance);
  for (int64_t j = 0; j < rows; ++j)
    store<V>(d + j * d_distance, load<V>(weights + j * distance) * (load<V>(d + j * d_distance) - dot) * scale);
}

inline void softmax_backward(const float* weights, float* d, int64_t rows, int64_t columns, int64_t distance, int64_t d_distance,
                             float scale) {
  int64_t i = 0;
  for (; i + kWidth<Floats> <= columns; i += kWidth<Floats>)
    softmax_block_backward<Floats>(weights + i, d + i, rows, distance, d_distance, scale);
  for (; i < columns; i += 8) softmax_block_backward<Float8>(weights + i, d + i, rows, distance, d_distance, scale);
}

inline void add_to_rows(float* rows, int64_t count, int64_t h, const float* bias) {
  for (int64_t i = 0; i < count; ++i)
    for (int64_t c = 0; c < h; ++c) rows[i * h + c] += bias[c];
}
inline void add_up_rows(const float* rows, int64_t count, int64_t h, float* to) {
  for (int64_t i = 0; i < count; ++i)
    for (int64_t c = 0; c < h; ++c) to[c] += rows[i * h + c];
}

inline void attend_shared(const AttentionShape& s, const int64_t* at, int64_t states, float* z, const float* value_bias, float* out) {
  const int64_t h = s.hidden(), m = s.points, ld = s.shared_columns();
  for (int64_t b = 0; b < states; ++b) {
    const int64_t n = at[b + 1] - at[b];
    float *rows = z + (at[b] - at[0]) * ld, *o = out + b * m * h;
    if (n == 0) {
      std::memset(o, 0, sizeof(float) * m * h);
      continue;
    }
    softmax_over_rows(rows, n, s.score_columns(), ld);
    const float* values = rows + s.score_columns();
    for (int64_t head = 0; head < s.heads; ++head)
      small_gemm(rows + head * m, 1, ld, values + head * s.width, ld, o + head * s.width, h, m, s.width, n);
    add_to_rows(o, m, h, value_bias);
  }
}

inline void attend_shared_backward(const AttentionShape& s, const int64_t* at, int64_t states, const float* z, const float* d_out,
                                   float* d_z, float* d_value_bias, float* scratch) {
  const int64_t h = s.hidden(), m = s.points, ld = s.shared_columns(), columns = s.score_columns();
  for (int64_t b = 0; b < states; ++b) {
    const int64_t n = at[b + 1] - at[b];
    if (n == 0) continue;
    const float *rows = z + (at[b] - at[0]) * ld, *d_o = d_out + b * m * h;
    float* d_rows = d_z + (at[b] - at[0]) * ld;
    add_up_rows(d_o, m, h, d_value_bias);
    for (int64_t j = 0; j < n; ++j)
      for (int64_t c = s.heads * m; c < columns; ++c) d_rows[j * ld + c] = 0;
    for (int64_t head = 0; head < s.heads; ++head) {
      const int64_t value = columns + head * s.width;
      small_gemm(rows + head * m, ld, 1, d_o + head * s.width, h, d_rows + value, ld, n, s.width, m);
      copy_transposed(d_o + head * s.width, h, m, s.width, 1.0f, scratch, m);
      small_gemm(rows + value, ld, 1, scratch, m, d_rows + head * m, ld, n, m, s.width);
    }
    softmax_backward(rows, d_rows, n, columns, ld, ld, 1.0f);  // the queries carry the scale
  }
}

// Scores and weights are kept by point, (points, planets padded to vectors): the softmax runs on whole vectors of planets.
inline void attend_own(const AttentionShape& s, const int64_t* at, int64_t states, float* q, const float* kv, const float* query_bias,
                       const float* value_bias, float* weights, int64_t tile, float* out, float* scratch) {
  const int64_t h = s.hidden(), m = s.points, w = s.width;
  const float scale = 1.0f / __builtin_sqrtf(float(w));
  for (int64_t b = 0; b < states; ++b) {
    const int64_t n = at[b + 1] - at[b], columns = padded_to_lanes(n), first = (at[b] - at[0]) * h;
    if (n == 0) continue;
    add_to_rows(q + first, n, h, query_bias);
    for (int64_t head = 0; head < s.heads; ++head) {
      const float* key = kv + b * m * 2 * h + head * w;
      float* to = weights + (b * s.heads + head) * tile;
      copy_transposed(q + first + head * w, h, n, w, scale, scratch, columns);
      small_gemm(key, 2 * h, 1, scratch, columns, to, columns, m, columns, w);
      softmax_over_rows(to, m, columns, columns);
      small_gemm(to, 1, columns, key + h, 2 * h, out + first + head * w, h, n, w, m);
    }
    add_to_rows(out + first, n, h, value_bias);
  }
}

inline void attend_own_backward(const AttentionShape& s, const int64_t* at, int64_t states, const float* q, const float* kv,
                                const float* weights, int64_t tile, const float* d_out, float* d_q, float* d_kv, float* d_query_bias,
                                float* d_value_bias, float* scratch) {
  const int64_t h = s.hidden(), m = s.points, w = s.width;
  const float scale = 1.0f / __builtin_sqrtf(float(w));
  for (int64_t b = 0; b < states; ++b) {
    const int64_t n = at[b + 1] - at[b], columns = padded_to_lanes(n), first = (at[b] - at[0]) * h;
    if (n == 0) {
      std::memset(d_kv + b * m * 2 * h, 0, sizeof(float) * m * 2 * h);
      continue;
    }
    float* d_scores = scratch + w * columns;
    add_up_rows(d_out + first, n, h, d_value_bias);
    for (int64_t head = 0; head < s.heads; ++head) {
      const int64_t at_key = b * m * 2 * h + head * w, at_query = first + head * w;
      const float* own = weights + (b * s.heads + head) * tile;
      copy_transposed(d_out + at_query, h, n, w, 1.0f, scratch, columns);
      small_gemm(kv + at_key + h, 2 * h, 1, scratch, columns, d_scores, columns, m, columns, w);
      softmax_backward(own, d_scores, m, columns, columns, columns, scale);
      small_gemm(own, columns, 1, d_out + at_query, h, d_kv + at_key + h, 2 * h, m, w, n);
      small_gemm(d_scores, columns, 1, q + at_query, h, d_kv + at_key, 2 * h, m, w, n);
      small_gemm(d_scores, 1, columns, kv + at_key, 2 * h, d_q + at_query, h, n, w, m);
    }
    add_up_rows(d_q + first, n, h, d_query_bias);
  }
}

}  // namespace ORBIT_KERNEL_SET
}  // namespace orbit

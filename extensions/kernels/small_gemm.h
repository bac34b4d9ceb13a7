// Products of matrices that fit in the first-level cache, where a library call per head and state would cost more than the product.
#pragma once
#include "extensions/kernels/vectors.h"

namespace orbit {
inline namespace ORBIT_KERNEL_SET {

// What becomes of a sum before it is stored at row i, columns j and on: here nothing.
struct AsItIs {
  template <class V>
  V operator()(V sum, int64_t, int64_t) const { return sum; }
};

// The tile from row i, column j: Rows x (width of V * Blocks) of c = a b.
template <class V, int Rows, int Blocks, class Finish>
inline void gemm_tile(const float* a, int64_t a_row, int64_t a_term, const float* b, int64_t ldb, float* c, int64_t ldc,
                      int64_t terms, int64_t i0, int64_t j0, const Finish& finish) {
  a += i0 * a_row, b += j0, c += i0 * ldc + j0;
  V sums[Rows][Blocks] = {};
  for (int64_t t = 0; t < terms; ++t) {
    V right[Blocks];
#pragma GCC unroll 8
    for (int j = 0; j < Blocks; ++j) right[j] = load<V>(b + t * ldb + j * kWidth<V>);
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
      const V left = V{} + a[i * a_row + t * a_term];
#pragma GCC unroll 8
      for (int j = 0; j < Blocks; ++j) sums[i][j] += left * right[j];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < Blocks; ++j) store<V>(c + i * ldc + j * kWidth<V>, finish(sums[i][j], i0 + i, j0 + j * kWidth<V>));
  }
}

// Eight sums or more in flight hide the latency of the multiply-add.
template <class V, int Blocks, class Finish>
inline void gemm_columns(const float* a, int64_t a_row, int64_t a_term, const float* b, int64_t ldb, float* c, int64_t ldc,
                         int64_t rows, int64_t terms, int64_t j, const Finish& finish) {
  constexpr int kRows = Blocks == 1 ? 8 : Blocks == 2 ? 6 : 4;
  int64_t i = 0;
  for (; i + kRows <= rows; i += kRows) gemm_tile<V, kRows, Blocks>(a, a_row, a_term, b, ldb, c, ldc, terms, i, j, finish);
  for (; i + 4 <= rows; i += 4) gemm_tile<V, 4, Blocks>(a, a_row, a_term, b, ldb, c, ldc, terms, i, j, finish);
  for (; i + 2 <= rows; i += 2) gemm_tile<V, 2, Blocks>(a, a_row, a_term, b, ldb, c, ldc, terms, i, j, finish);
  for (; i < rows; ++i) gemm_tile<V, 1, Blocks>(a, a_row, a_term, b, ldb, c, ldc, terms, i, j, finish);
}

// c (rows, columns) = finish(a b), with a[i][t] = a[i * a_row + t * a_term] (so also a transposed one), b (terms, columns) with
// rows ldb apart. Fastest where columns is a multiple of 8.
template <class Finish = AsItIs>
inline void small_gemm(const float* a, int64_t a_row, int64_t a_term, const float* b, int64_t ldb, float* c, int64_t ldc,
                       int64_t rows, int64_t columns, int64_t terms, const Finish& finish = {}) {
  constexpr int64_t w = kWidth<Floats>;
  int64_t j = 0;
  // Three vectors of columns with four rows load less than two with six; but four vectors are better two and two than three and one.
  for (int64_t left = columns / w; w == 8 && left >= 3 && left != 4; left -= 3, j += 3 * w)
    gemm_columns<Floats, 3>(a, a_row, a_term, b, ldb, c, ldc, rows, terms, j, finish);
  for (; j + 2 * w <= columns; j += 2 * w) gemm_columns<Floats, 2>(a, a_row, a_term, b, ldb, c, ldc, rows, terms, j, finish);
  if (j + w <= columns) {
    gemm_columns<Floats, 1>(a, a_row, a_term, b, ldb, c, ldc, rows, terms, j, finish);
    j += w;
  }
  if constexpr (w > 8) {
    if (j + 8 <= columns) {
      gemm_columns<Float8, 1>(a, a_row, a_term, b, ldb, c, ldc, rows, terms, j, finish);
      j += 8;
    }
  }
  if (j + 4 <= columns) {
    gemm_columns<Float4, 1>(a, a_row, a_term, b, ldb, c, ldc, rows, terms, j, finish);
    j += 4;
  }
  for (; j < columns; ++j) {
    for (int64_t i = 0; i < rows; ++i) {
      float sum = 0;
      for (int64_t t = 0; t < terms; ++t) sum += a[i * a_row + t * a_term] * b[t * ldb + j];
      c[i * ldc + j] = finish(sum, i, j);
    }
  }
}

// Eight rows of eight: pairs of rows are interleaved three times.
inline void transpose_tile(const float* from, int64_t ldf, float* to, int64_t ldt) {
  Float8 row[8], other[8];
#pragma GCC unroll 8
  for (int k = 0; k < 8; ++k) row[k] = load<Float8>(from + k * ldf);
  const auto interleave = [](const Float8* in, Float8* out) {
#pragma GCC unroll 4
    for (int k = 0; k < 4; ++k) {
      out[2 * k] = __builtin_shufflevector(in[k], in[k + 4], 0, 8, 1, 9, 2, 10, 3, 11);
      out[2 * k + 1] = __builtin_shufflevector(in[k], in[k + 4], 4, 12, 5, 13, 6, 14, 7, 15);
    }
  };
  interleave(row, other);
  interleave(other, row);
  interleave(row, other);
#pragma GCC unroll 8
  for (int k = 0; k < 8; ++k) store(to + k * ldt, other[k]);
}

// (rows, columns) with rows ldf apart -> (columns, rows) with rows ldt apart.
inline void transpose(const float* from, int64_t ldf, int64_t rows, int64_t columns, float* to, int64_t ldt) {
  const int64_t tiled_rows = rows / 8 * 8, tiled_columns = columns / 8 * 8;
  for (int64_t r = 0; r < tiled_rows; r += 8)
    for (int64_t c = 0; c < tiled_columns; c += 8) transpose_tile(from + r * ldf + c, ldf, to + c * ldt + r, ldt);
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = r < tiled_rows ? tiled_columns : 0; c < columns; ++c) to[c * ldt + r] = from[r * ldf + c];
}

// (rows, width) with rows `distance` apart -> (width, rows) with rows `to_distance` apart and zeros behind, times scale.
inline void copy_transposed(const float* from, int64_t distance, int64_t rows, int64_t width, float scale, float* to,
                            int64_t to_distance) {
  for (int64_t c = 0; c < width; ++c) {
    for (int64_t i = 0; i < rows; ++i) to[c * to_distance + i] = from[i * distance + c] * scale;
    for (int64_t i = rows; i < to_distance; ++i) to[c * to_distance + i] = 0;
  }
}

}  // namespace ORBIT_KERNEL_SET
}  // namespace orbit

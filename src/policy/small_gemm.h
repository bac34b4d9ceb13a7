// Products of matrices that fit in the first-level cache, for the fused operators on the CPU, where a library call per head and
// state would cost more than the product. Eight floats at a time in the compiler's own vector type; b and c are whole vectors wide.
#pragma once
#include <cstdint>
#include <cstring>

namespace orbit {

constexpr int64_t kLanes = 8;
typedef float Float8 __attribute__((vector_size(32)));
typedef int32_t Int8 __attribute__((vector_size(32)));

inline int64_t padded_to_lanes(int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

inline Float8 load8(const float* p) {
  Float8 v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
inline void store8(float* p, Float8 v) { std::memcpy(p, &v, sizeof v); }
inline Float8 splat8(float x) { return Float8{x, x, x, x, x, x, x, x}; }
inline float sum8(Float8 v) { return ((v[0] + v[4]) + (v[2] + v[6])) + ((v[1] + v[5]) + (v[3] + v[7])); }
inline Float8 max8(Float8 a, Float8 b) { return a > b ? a : b; }

// exp for x <= 0, within 2 units of the last place; below -87 it gives about 1e-38.
inline Float8 exp8(Float8 x) {
  x = max8(x, splat8(-87.0f));
  const Float8 shift = splat8(12582912.0f);  // 1.5 * 2^23: adding it rounds to a whole number in the low bits
  const Float8 k = x * 1.44269504f + shift;
  Int8 bits;
  std::memcpy(&bits, &k, sizeof bits);
  const Float8 whole = k - shift;
  const Float8 r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;  // ln 2 in two parts
  Float8 p = splat8(1.9875691500e-4f);
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const Int8 scale_bits = (bits - 0x4B400000 + 127) << 23;  // 0x4B400000: the bits of shift
  Float8 scale;
  std::memcpy(&scale, &scale_bits, sizeof scale);
  return p * scale;
}

// A tile of Rows x 8 * Blocks of c = a b.
template <int Rows, int Blocks>
inline void gemm_tile(const float* a, int64_t a_row, int64_t a_term, const float* b, int64_t ldb, float* c, int64_t ldc,
                      int64_t terms) {
  Float8 sum[Rows][Blocks] = {};
  for (int64_t t = 0; t < terms; ++t) {
    Float8 right[Blocks];
#pragma GCC unroll 8
    for (int j = 0; j < Blocks; ++j) right[j] = load8(b + t * ldb + j * kLanes);
#pragma GCC unroll 8
    for (int i = 0; i < Rows; ++i) {
      const Float8 left = splat8(a[i * a_row + t * a_term]);
#pragma GCC unroll 8
      for (int j = 0; j < Blocks; ++j) sum[i][j] += left * right[j];
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < Rows; ++i) {
#pragma GCC unroll 8
    for (int j = 0; j < Blocks; ++j) store8(c + i * ldc + j * kLanes, sum[i][j]);
  }
}

// Eight sums in flight hide the latency of the multiply-add.
template <int Blocks>
inline void gemm_columns(const float* a, int64_t a_row, int64_t a_term, const float* b, int64_t ldb, float* c, int64_t ldc,
                         int64_t rows, int64_t terms) {
  constexpr int kRows = 8 / Blocks;
  int64_t i = 0;
  for (; i + kRows <= rows; i += kRows) gemm_tile<kRows, Blocks>(a + i * a_row, a_row, a_term, b, ldb, c + i * ldc, ldc, terms);
  for (; i + 2 <= rows; i += 2) gemm_tile<2, Blocks>(a + i * a_row, a_row, a_term, b, ldb, c + i * ldc, ldc, terms);
  for (; i < rows; ++i) gemm_tile<1, Blocks>(a + i * a_row, a_row, a_term, b, ldb, c + i * ldc, ldc, terms);
}

// c (rows, columns) = a b, with a[i][t] = a[i * a_row + t * a_term] (so also a transposed one), b (terms, columns) with rows
// ldb apart. columns is a multiple of 8.
inline void small_gemm(const float* a, int64_t a_row, int64_t a_term, const float* b, int64_t ldb, float* c, int64_t ldc,
                       int64_t rows, int64_t columns, int64_t terms) {
  int64_t j = 0;
  for (; j + 2 * kLanes <= columns; j += 2 * kLanes) gemm_columns<2>(a, a_row, a_term, b + j, ldb, c + j, ldc, rows, terms);
  if (j < columns) gemm_columns<1>(a, a_row, a_term, b + j, ldb, c + j, ldc, rows, terms);
}

}  // namespace orbit

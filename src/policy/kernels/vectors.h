// Vectors of floats in the compiler's own type, for loops that are compiled once for each instruction set (kernels.h). Names
// live in a namespace of the set, so that the linker never mixes two of them. No standard templates here or in the files beside:
// the linker would be free to keep the copy that was compiled for the larger set.
#pragma once
#include <cstdint>
#include <cstring>

#ifndef ORBIT_KERNEL_SET
#define ORBIT_KERNEL_SET baseline
#endif

namespace orbit {

constexpr int64_t kLanes = 8;  // buffers are padded to whole numbers of this, whatever the set
inline constexpr int64_t padded_to_lanes(int64_t n) { return (n + kLanes - 1) / kLanes * kLanes; }

inline namespace ORBIT_KERNEL_SET {

typedef float Float4 __attribute__((vector_size(16)));
typedef float Float8 __attribute__((vector_size(32)));
#ifdef __AVX512F__
typedef float Floats __attribute__((vector_size(64)));  // the widest that the set has
#else
typedef Float8 Floats;
#endif

template <class V>
constexpr int64_t kWidth = int64_t(sizeof(V) / sizeof(float));

template <class V>
inline V load(const float* p) {
  V v;
  std::memcpy(&v, p, sizeof v);
  return v;
}
template <class V>
inline void store(float* p, V v) { std::memcpy(p, &v, sizeof v); }
template <class V>
inline V max(V a, V b) { return a > b ? a : b; }

inline float sum(Float4 v) { return (v[0] + v[2]) + (v[1] + v[3]); }
inline float sum(Float8 v) {
  Float4 half[2];
  std::memcpy(half, &v, sizeof v);
  return sum(half[0] + half[1]);
}
#ifdef __AVX512F__
inline float sum(Floats v) {
  Float8 half[2];
  std::memcpy(half, &v, sizeof v);
  return sum(half[0] + half[1]);
}
#endif

// exp for x <= 0, within 2 units of the last place; below -87 it gives about 1e-38.
template <class V>
inline V exp_of_negative(V x) {
  typedef int32_t Ints __attribute__((vector_size(sizeof(V))));
  x = max(x, V{} - 87.0f);
  const V shift = V{} + 12582912.0f;  // 1.5 * 2^23: adding it rounds to a whole number in the low bits
  const V k = x * 1.44269504f + shift;
  Ints bits;
  std::memcpy(&bits, &k, sizeof bits);
  const V whole = k - shift;
  const V r = (x - whole * 0.693359375f) + whole * 2.12194440e-4f;  // ln 2 in two parts
  V p = V{} + 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  p = p * (r * r) + r + 1.0f;
  const Ints scale_bits = (bits - 0x4B400000 + 127) << 23;  // 0x4B400000: the bits of shift
  V scale;
  std::memcpy(&scale, &scale_bits, sizeof scale);
  return p * scale;
}

}  // namespace ORBIT_KERNEL_SET
}  // namespace orbit

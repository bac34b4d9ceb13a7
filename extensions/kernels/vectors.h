// Vectors of floats in the compiler's own type, for loops that are compiled once for each instruction set (OrbitKernels.cmake). Names
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
inline constexpr int64_t padded_to_quads(int64_t n) { return (n + 3) / 4 * 4; }  // what the smallest vector computes

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
// Of a number and one that is none, the second argument: max(bound, x) keeps a NaN in x. The compiler makes two instructions of it,
// so that the machine's own is named where there is one (its last two numbers: all lanes, and rounding as it is).
template <class V>
inline V max(V a, V b) {
#ifdef __AVX__
  if constexpr (sizeof(V) == 32) return __builtin_ia32_maxps256(a, b);
#endif
#ifdef __AVX512F__
  if constexpr (sizeof(V) == 64) return __builtin_ia32_maxps512_mask(a, b, a, -1, 4);
#endif
  return a > b ? a : b;
}
template <class V>
inline V min(V a, V b) {
#ifdef __AVX__
  if constexpr (sizeof(V) == 32) return __builtin_ia32_minps256(a, b);
#endif
#ifdef __AVX512F__
  if constexpr (sizeof(V) == 64) return __builtin_ia32_minps512_mask(a, b, a, -1, 4);
#endif
  return a < b ? a : b;
}

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

template <class V>
struct IntsOf {
  typedef int32_t Type __attribute__((vector_size(sizeof(V))));
};

// exp for |x| <= 87, beyond that exp of the bound; within 2 units of the last place.
template <class V>
inline V exp_of(V x) {
  typedef typename IntsOf<V>::Type Ints;
  x = min(V{} + 87.0f, max(V{} - 87.0f, x));
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

// Natural logarithm of normal positive numbers, within 2 units of the last place (Cephes' logf).
template <class V>
inline V log_of(V x) {
  typedef typename IntsOf<V>::Type Ints;
  Ints bits;
  std::memcpy(&bits, &x, sizeof bits);
  const Ints exponent = (bits - 0x3F3504F3) >> 23;  // sqrt(1/2) <= mantissa < sqrt(2)
  const Ints mantissa_bits = bits - (exponent << 23);
  V m;
  std::memcpy(&m, &mantissa_bits, sizeof m);
  const V e = __builtin_convertvector(exponent, V), r = m - 1.0f;
  V p = V{} + 7.0376836292e-2f;
  p = p * r - 1.1514610310e-1f;
  p = p * r + 1.1676998740e-1f;
  p = p * r - 1.2420140846e-1f;
  p = p * r + 1.4249322787e-1f;
  p = p * r - 1.6668057665e-1f;
  p = p * r + 2.0000714765e-1f;
  p = p * r - 2.4999993993e-1f;
  p = p * r + 3.3333331174e-1f;
  const V square = r * r;
  return (r + (p * r * square - e * 2.12194440e-4f - 0.5f * square)) + e * 0.693359375f;
}

// Within 4e-7; a rational function of degrees 13 and 6 (Eigen's).
template <class V>
inline V tanh_of(V x) {
  x = min(V{} + 7.90531110763549805f, max(V{} - 7.90531110763549805f, x));
  const V z = x * x;
  V p = z * -2.76076847742355e-16f + 2.00018790482477e-13f;
  p = p * z - 8.60467152213735e-11f;
  p = p * z + 5.12229709037114e-08f;
  p = p * z + 1.48572235717979e-05f;
  p = p * z + 6.37261928875436e-04f;
  p = p * z + 4.89352455891786e-03f;
  V q = z * 1.19825839466702e-06f + 1.18534705686654e-04f;
  q = q * z + 2.26843463243900e-03f;
  q = q * z + 4.89352518554385e-03f;
  return x * p / q;
}

}  // namespace ORBIT_KERNEL_SET
}  // namespace orbit

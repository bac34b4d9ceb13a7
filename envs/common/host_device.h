// The one place that looks at the compiler: what a function is on host and device, bit tricks, and the sines of both.
#pragma once
#include <cmath>
#include <cstdint>

// ORBIT_FN_BODY: after the parameters of a lambda so large that a compiler would make a call of it, once a slot.
// ORBIT_COLD_FN: one that hardly ever runs; the host keeps it out of the way of what does, a device has no calls without a stack.
#if defined(__CUDACC__)
#define ORBIT_FN __host__ __device__ __forceinline__
#define ORBIT_FN_BODY
#define ORBIT_COLD_FN ORBIT_FN
#else
#define ORBIT_FN_BODY __attribute__((always_inline))
#define ORBIT_FN inline __attribute__((always_inline))
#define ORBIT_COLD_FN inline __attribute__((noinline, cold))
#endif

namespace orbit {

// A set of slots, one bit each. Planets always fit (48 <= 64).
using Mask = uint64_t;

ORBIT_FN Mask low_bits(int n) { return n >= 64 ? ~Mask(0) : (Mask(1) << n) - 1; }
ORBIT_FN bool has(Mask set, int slot) { return (set >> slot) & 1; }

#if defined(__CUDA_ARCH__)
ORBIT_FN int first_bit(Mask m) { return __ffsll(static_cast<long long>(m)) - 1; }
ORBIT_FN int first_bit32(uint32_t m) { return __ffs(static_cast<int>(m)) - 1; }
ORBIT_FN int count_bits32(uint32_t m) { return __popc(m); }
ORBIT_FN int count_bits(Mask m) { return __popcll(m); }
#else
ORBIT_FN int first_bit(Mask m) { return m ? __builtin_ctzll(m) : -1; }
ORBIT_FN int first_bit32(uint32_t m) { return m ? __builtin_ctz(m) : -1; }
ORBIT_FN int count_bits32(uint32_t m) { return __builtin_popcount(m); }
ORBIT_FN int count_bits(Mask m) { return __builtin_popcountll(m); }
#endif

template <class F>
ORBIT_FN void for_bits(Mask set, F f) {
  for (; set; set &= set - 1) f(first_bit(set));
}

// Brings `bytes` at p closer to a CPU's core; a device hides latency by its other warps.
ORBIT_FN void prefetch([[maybe_unused]] const void* p, [[maybe_unused]] int64_t bytes) {
#if !defined(__CUDA_ARCH__)
  for (int64_t at = 0; at < bytes; at += 64) __builtin_prefetch(static_cast<const char*>(p) + at);
#endif
}

// Angle in half turns, reduced to [-1, 1] with a two-part 1/pi and an exact remainder. CUDA's sin and cos need a stack
// frame for huge arguments, sinpi and cospi of this do not; within 2e-16 of the true value for any angle a player can give.
ORBIT_FN double half_turns(double radians) {
  const double hi = 0x1.45f306dc9c883p-2, lo = -0x1.6b01ec5417056p-56;
  const double u = radians * hi, rest = fma(radians, hi, -u) + radians * lo;
  return (u - 2.0 * rint(u * 0.5)) + rest;
}

// On the host the C library's values, which the official game uses; on a device the last bit or two may differ. Python's
// x ** 2 is C's pow, which in glibc differs from x * x in the last bit of one argument in a thousand: compile with
// -fno-builtin-pow, or the compiler puts x * x in its place. On a device pow is a call that makes its callers spill registers.
#if defined(__CUDA_ARCH__)
ORBIT_FN double square(double v) { return v * v; }
ORBIT_FN double power_1_5(double v) { return v * sqrt(v); }
ORBIT_FN double cosine(double radians) { return cospi(half_turns(radians)); }
ORBIT_FN double sine(double radians) { return sinpi(half_turns(radians)); }
#else
ORBIT_FN double square(double v) { return pow(v, 2.0); }
ORBIT_FN double power_1_5(double v) { return pow(v, 1.5); }
ORBIT_FN double cosine(double radians) { return cos(radians); }
ORBIT_FN double sine(double radians) { return sin(radians); }
#endif

// f(n) for a whole number n >= 0. The host keeps a table of the first values, made at the first call with this f, where that costs
// less than f itself does; a device computes each.
#if defined(__CUDA_ARCH__)
template <class N, class F>
ORBIT_FN double tabulated(N n, F f) { return f(n); }
#else
template <class N, class F>
struct FirstValues {
  static constexpr int32_t kCount = 1024;
  double value[kCount];
  explicit FirstValues(F f) {
    for (int32_t i = 0; i < kCount; ++i) value[i] = f(N(i));
  }
};
template <class N, class F>
ORBIT_FN double tabulated(N n, F f) {
  using Table = FirstValues<N, F>;
  static const Table first(f);
  return n < N(Table::kCount) ? first.value[int32_t(n)] : f(n);
}
#endif

template <class T>
ORBIT_FN T smaller(T a, T b) { return b < a ? b : a; }
template <class T>
ORBIT_FN T larger(T a, T b) { return a < b ? b : a; }
template <class T>
ORBIT_FN T clamp(T v, T lo, T hi) { return v < lo ? lo : v > hi ? hi : v; }

}  // namespace orbit

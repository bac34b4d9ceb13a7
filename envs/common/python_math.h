// Arithmetic with the rules of Python and NumPy, for environments that were converted from Python source
// (scripts/gym_to_kernel). Real is float or double; in double the results are Python's, to the last bit where the C library's are.
#pragma once
#include "envs/common/real_math.h"

namespace orbit {

// Divisions that round towards minus infinity; the remainder has the divisor's sign. By zero: infinity, NaN, or 0 for whole
// numbers, where Python raises.
ORBIT_FN int64_t python_floor_divide(int64_t a, int64_t b) {
  if (b == 0) return 0;
  const int64_t q = a / b;
  return q - (a % b != 0 && (a < 0) != (b < 0));
}
ORBIT_FN int64_t python_mod(int64_t a, int64_t b) {
  if (b == 0) return 0;
  const int64_t r = a % b;
  return r != 0 && (r < 0) != (b < 0) ? r + b : r;
}
template <class T>
ORBIT_FN T float_mod(T a, T b) {
  const T r = std::fmod(a, b);
  return r == T(0) ? std::copysign(T(0), b) : (r < T(0)) != (b < T(0)) ? r + b : r;
}
// CPython's float_floor_div, which NumPy follows: the quotient of what is left without the remainder, to the nearest whole number.
template <class T>
ORBIT_FN T float_floor_divide(T a, T b) {
  if (b == T(0)) return a / b;
  const T r = std::fmod(a, b);
  const T d = (a - r) / b - T(r != T(0) && (r < T(0)) != (b < T(0)));
  const T f = std::floor(d);
  return d == T(0) ? std::copysign(T(0), a / b) : d - f > T(0.5) ? f + T(1) : f;
}
ORBIT_FN float python_mod(float a, float b) { return float_mod(a, b); }
ORBIT_FN double python_mod(double a, double b) { return float_mod(a, b); }
ORBIT_FN float python_floor_divide(float a, float b) { return float_floor_divide(a, b); }
ORBIT_FN double python_floor_divide(double a, double b) { return float_floor_divide(a, b); }

ORBIT_FN int64_t whole_abs(int64_t v) { return v < 0 ? -v : v; }
template <class T>
ORBIT_FN T sign_of(T v) { return v != v ? v : T((v > T(0)) - (v < T(0))); }
// base to an exponent >= 0.
ORBIT_FN int64_t whole_power(int64_t base, int64_t exponent) {
  int64_t result = 1;
  for (; exponent > 0; exponent >>= 1, base = exponent ? base * base : base)
    if (exponent & 1) result *= base;
  return result;
}
ORBIT_FN double power(double a, double b) { return pow(a, b); }
ORBIT_FN float power(float a, float b) { return b == 2.0f ? a * a : float(pow(double(a), double(b))); }

// The functions of the C library by the names of our own; sine, cosine and exponential are in real_math.h.
ORBIT_FN float root(float v) { return std::sqrt(v); }
ORBIT_FN double root(double v) { return sqrt(v); }
#define ORBIT_FLOAT_FUNCTION(name, function)                           \
  ORBIT_FN double name(double v) { return function(v); }              \
  ORBIT_FN float name(float v) { return float(function(double(v))); }
ORBIT_FLOAT_FUNCTION(tangent, tan)
ORBIT_FLOAT_FUNCTION(arc_sine, asin)
ORBIT_FLOAT_FUNCTION(arc_cosine, acos)
ORBIT_FLOAT_FUNCTION(arc_tangent, atan)
ORBIT_FLOAT_FUNCTION(hyperbolic_sine, sinh)
ORBIT_FLOAT_FUNCTION(hyperbolic_cosine, cosh)
ORBIT_FLOAT_FUNCTION(hyperbolic_tangent, tanh)
ORBIT_FLOAT_FUNCTION(exponential_minus_one, expm1)
ORBIT_FLOAT_FUNCTION(logarithm, log)
ORBIT_FLOAT_FUNCTION(logarithm_2, log2)
ORBIT_FLOAT_FUNCTION(logarithm_10, log10)
ORBIT_FLOAT_FUNCTION(logarithm_of_one_plus, log1p)
ORBIT_FLOAT_FUNCTION(cube_root, cbrt)
#undef ORBIT_FLOAT_FUNCTION
template <class T>
ORBIT_FN T arc_tangent2(T y, T x) { return T(atan2(double(y), double(x))); }
template <class T>
ORBIT_FN T hypotenuse(T x, T y) { return T(hypot(double(x), double(y))); }
template <class T>
ORBIT_FN T radians(T degrees) { return degrees * T(3.141592653589793 / 180.0); }
template <class T>
ORBIT_FN T degrees(T radians) { return radians * T(180.0 / 3.141592653589793); }

template <class T>
ORBIT_FN bool is_nan(T v) { return v != v; }
template <class T>
ORBIT_FN bool is_finite(T v) { return v - v == T(0); }
template <class T>
ORBIT_FN bool is_infinite(T v) { return v == v && v - v != T(0); }

// NaN wins, as in NumPy.
template <class T>
ORBIT_FN T numpy_maximum(T a, T b) { return a >= b || a != a ? a : b; }
template <class T>
ORBIT_FN T numpy_minimum(T a, T b) { return a <= b || a != a ? a : b; }

// An index as a place within 0 .. n - 1: negative ones count from the end. Where Python raises, the nearest place.
ORBIT_FN int64_t place(int64_t index, int64_t n) { return clamp<int64_t>(index < 0 ? index + n : index, 0, n > 0 ? n - 1 : 0); }

// Sum of element(0) .. element(n - 1) in NumPy's order: eight running sums, and halves beyond 128 numbers.
template <class T, int64_t n, class F>
ORBIT_FN T pairwise_sum(F element) {
  if constexpr (n > 128) {
    constexpr int64_t half = n / 2 - n / 2 % 8;
    return pairwise_sum<T, half>(element) + pairwise_sum<T, n - half>([&](int64_t i) { return element(half + i); });
  } else if constexpr (n >= 8) {
    T r[8];
    for (int64_t j = 0; j < 8; ++j) r[j] = T(element(j));
    int64_t i = 8;
    for (; i + 8 <= n; i += 8)
      for (int64_t j = 0; j < 8; ++j) r[j] += T(element(i + j));
    T sum = ((r[0] + r[1]) + (r[2] + r[3])) + ((r[4] + r[5]) + (r[6] + r[7]));
    for (; i < n; ++i) sum += T(element(i));
    return sum;
  } else {
    T sum = T(0);
    for (int64_t i = 0; i < n; ++i) sum += T(element(i));
    return sum;
  }
}

// By insertion: lists are short.
template <class T>
ORBIT_FN void sort_numbers(T* v, int64_t n, bool down) {
  for (int64_t i = 1; i < n; ++i) {
    const T x = v[i];
    int64_t j = i;
    for (; j > 0 && (down ? v[j - 1] < x : x < v[j - 1]); --j) v[j] = v[j - 1];
    v[j] = x;
  }
}

// np.interp: x(i), i < n, ascending.
template <class T, class X, class Y>
ORBIT_FN T interpolated(T v, int64_t n, X x, Y y) {
  if (v <= x(0)) return y(0);
  if (v >= x(n - 1)) return y(n - 1);
  int64_t i = 0;
  while (x(i + 1) <= v) ++i;
  const T slope = (y(i + 1) - y(i)) / (x(i + 1) - x(i));
  return slope * (v - x(i)) + y(i);
}

// A float whose precision Python decides while it runs: a name that is a float32 on one path and not on another.
template <class Real>
struct Loose {
  Real v;
  int32_t rank;  // 0 a Python number, 1 float32, 2 float64; of two the higher one wins
  ORBIT_FN Real rounded() const { return rank == 1 ? Real(float(v)) : v; }
};
template <class Real, class F>
ORBIT_FN Loose<Real> combined(Loose<Real> a, Loose<Real> b, F f) {
  const int32_t rank = larger(a.rank, b.rank);
  return {rank == 1 ? Real(float(f(float(a.v), float(b.v)))) : Real(f(a.v, b.v)), rank};
}
template <class Real, class F>
ORBIT_FN bool compared(Loose<Real> a, Loose<Real> b, F f) {
  return larger(a.rank, b.rank) == 1 ? f(float(a.v), float(b.v)) : f(a.v, b.v);
}
template <class Real, class F>
ORBIT_FN Loose<Real> applied(Loose<Real> a, F f) {
  return {a.rank == 1 ? Real(float(f(float(a.v)))) : Real(f(a.v)), a.rank};
}
template <class Real>
ORBIT_FN Loose<Real> operator-(Loose<Real> a) { return {-a.v, a.rank}; }

}  // namespace orbit

// Mathematics of small environments in float: without branches, so that a loop over environments becomes SIMD, and the same
// bits on CPU and GPU. In double the functions are those of host_device.h.
#pragma once
#include <cstring>
#include "envs/common/host_device.h"

namespace orbit {

// Quarter turns of an angle, and what is left of it, within a quarter of pi. The reduction is done in double: good to a
// float's last bits up to angles of 1e8.
struct QuarterTurns {
  float rest;
  int32_t count;  // 0..3
};
ORBIT_FN QuarterTurns quarter_turns(float radians) {
  const double turns = rint(double(radians) * 0.6366197723675814);
  const double rest = double(radians) - turns * 1.5707963267948966;
  const double count = turns - 4.0 * floor(turns * 0.25);
  return {float(rest), int32_t(count > 0.0 ? count : 0.0)};  // 0 for what is no number
}

// Minimax polynomials within a quarter of pi (S. Moshier's, Cephes sinf and cosf): error below 1e-7.
ORBIT_FN float sine_near_zero(float x) {
  const float z = x * x;
  return x + x * z * (-1.6666654611e-1f + z * (8.3321608736e-3f + z * -1.9515295891e-4f));
}
ORBIT_FN float cosine_near_zero(float x) {
  const float z = x * x;
  return 1.0f - 0.5f * z + z * z * (4.166664568298827e-2f + z * (-1.388731625493765e-3f + z * 2.443315711809948e-5f));
}

ORBIT_FN float sine(float radians) {
  const QuarterTurns q = quarter_turns(radians);
  const float s = sine_near_zero(q.rest), c = cosine_near_zero(q.rest), v = q.count & 1 ? c : s;
  return q.count & 2 ? -v : v;
}
ORBIT_FN float cosine(float radians) {
  const QuarterTurns q = quarter_turns(radians);
  const float s = sine_near_zero(q.rest), c = cosine_near_zero(q.rest), v = q.count & 1 ? s : c;
  return (q.count + 1) & 2 ? -v : v;
}

// 2^n for -126 <= n <= 127.
ORBIT_FN float power_of_two(int32_t n) {
  const int32_t bits = (n + 127) << 23;
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// e to the x, by powers of two and Moshier's expf: error below 2e-7 of the value; 0 below -87, at most 1.7e38.
ORBIT_FN float exponential(float x) {
  const float n = rint(clamp(x, -88.0f, 88.0f) * 1.44269504f);
  const float r = (clamp(x, -88.0f, 88.0f) - n * 0.693359375f) - n * -2.12194440e-4f;
  const float p = 1.9875691500e-4f * r + 1.3981999507e-3f, q = (p * r + 8.3334519073e-3f) * r + 4.1665795894e-2f;
  const float value = ((q * r + 1.6666665459e-1f) * r + 5.0000001201e-1f) * (r * r) + r + 1.0f;
  return n < -126.0f ? 0.0f : value * power_of_two(int32_t(n > -127.0f ? n : -127.0f));  // n may be no number
}
ORBIT_FN double exponential(double x) { return exp(x); }

}  // namespace orbit

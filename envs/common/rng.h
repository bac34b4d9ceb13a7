// Counter-based random numbers (Philox 4x32-10, Salmon et al. 2011): the same numbers on CPU and GPU, eager or captured,
// in any order and after a resume. A draw is named by (seed, stream, environment, step, index); nothing is kept between draws.
#pragma once
#include "envs/common/host_device.h"

namespace orbit {

// What a draw is for. Values are part of the run state's meaning: never renumber.
enum class Stream : uint32_t {
  kBoard = 1, kPolicy = 2, kOpponent = 3, kPermutation = 4, kSeat = 5, kEvaluation = 6, kEnvironment = 7, kPool = 8
};

struct Random4 {
  uint32_t v[4];
};

ORBIT_FN Random4 philox(uint64_t seed, uint32_t c0, uint32_t c1, uint32_t c2, uint32_t c3) {
  uint32_t k0 = uint32_t(seed), k1 = uint32_t(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t(0xD2511F53u) * c0, p1 = uint64_t(0xCD9E8D57u) * c2;
    const uint32_t n0 = uint32_t(p1 >> 32) ^ c1 ^ k0, n2 = uint32_t(p0 >> 32) ^ c3 ^ k1;
    c1 = uint32_t(p1);
    c3 = uint32_t(p0);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {{c0, c1, c2, c3}};
}

ORBIT_FN Random4 draw4(uint64_t seed, Stream stream, uint32_t environment, uint32_t step, uint32_t index) {
  return philox(seed, index, step, environment, uint32_t(stream));
}

// [0, 1) in 24 bits, and (0, 1] for logarithms.
ORBIT_FN float unit_float(uint32_t u) { return float(u >> 8) * (1.0f / 16777216.0f); }
ORBIT_FN float unit_float_positive(uint32_t u) { return float((u >> 8) + 1) * (1.0f / 16777216.0f); }
// [0, 1) in 53 bits.
ORBIT_FN double unit_double(uint32_t a, uint32_t b) {
  return (double(a >> 5) * 67108864.0 + double(b >> 6)) * (1.0 / 9007199254740992.0);
}

}  // namespace orbit

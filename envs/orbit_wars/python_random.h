// CPython's random.Random: MT19937 (Matsumoto and Nishimura, mt19937ar.c, init_by_array) and the few draws that boards need.
#pragma once
#include <bit>
#include <cstdint>
#include <string_view>
#include <vector>

namespace orbit {

// What the generator is seeded with: 32-bit words, least significant first.
using RandomKey = std::vector<uint32_t>;

// The key of random.Random(text): the bytes of the text and of its SHA-512, read as one big-endian number.
RandomKey text_key(std::string_view text);

class PythonRandom {
 public:
  explicit PythonRandom(const RandomKey& key);

  uint32_t u32() {
    if (at_ == kWords) refill();
    uint32_t y = state_[at_++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
  }
  // [0, 1) in 53 bits.
  double random() {
    const uint32_t a = u32() >> 5, b = u32() >> 6;
    return (a * 67108864.0 + b) * (1.0 / 9007199254740992.0);
  }
  double uniform(double lo, double hi) { return lo + (hi - lo) * random(); }
  // [a, b], both ends included. Draws at least once, even where a == b.
  int randint(int a, int b) {
    const uint32_t n = uint32_t(b - a) + 1;
    const int unused = std::countl_zero(n);  // CPython takes the bit length of n, not of n - 1
    uint32_t r;
    do r = u32() >> unused;
    while (r >= n);
    return a + int(r);
  }

 private:
  static constexpr int kWords = 624;
  void refill();

  uint32_t state_[kWords];
  int at_ = kWords;
};

}  // namespace orbit

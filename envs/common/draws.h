// Random numbers of one environment, drawn in sequence as a NumPy generator is, but named by (seed, environment, episode, step,
// place in the sequence): nothing is kept between steps. A test gives the numbers instead and so meets another program exactly.
#pragma once
#include <limits>
#include "envs/common/rng.h"

namespace orbit {

class Draws {
 public:
  // step: 0 in reset, n in the n-th step of an episode (below 2^24). given: what the calls below find instead, in their order:
  // numbers of [0, 1), standard normal numbers, and integers as they are; nullptr for none.
  ORBIT_FN Draws(uint64_t seed, uint32_t environment, uint32_t episode, uint32_t step, const double* given = nullptr, int64_t count = 0)
      : seed_(seed), environment_(environment), episode_(episode), step_(step), given_(given), count_(count) {}

  // [0, 1), 53 bits.
  ORBIT_FN double unit() {
    if (given_) return next_given();
    const uint32_t place = used_++;
    if (place % 2 == 0) words_ = philox(seed_, place / 2, episode_, environment_, uint32_t(Stream::kEnvironment) | step_ << 8);
    return place % 2 == 0 ? unit_double(words_.v[0], words_.v[1]) : unit_double(words_.v[2], words_.v[3]);
  }
  ORBIT_FN double uniform(double low, double high) { return low + (high - low) * unit(); }
  // Box and Muller, from two numbers of the sequence.
  ORBIT_FN double standard_normal() {
    if (given_) return next_given();
    const double radius = sqrt(-2.0 * log(1.0 - unit()));
    return radius * cosine(6.283185307179586 * unit());
  }
  ORBIT_FN double normal(double mean, double deviation) { return mean + deviation * standard_normal(); }
  // low .. high - 1, each equally often (to within 2^-53 of the range).
  ORBIT_FN int32_t integer(int32_t low, int32_t high) {
    if (given_) return int32_t(next_given());
    return low + int32_t(unit() * (double(high) - double(low)));
  }

  // More were asked for than were given; the ones too many were 0.
  ORBIT_FN bool exhausted() const { return exhausted_; }

 private:
  ORBIT_FN double next_given() {
    if (used_ < count_) return given_[used_++];
    exhausted_ = true;
    return 0.0;
  }

  uint64_t seed_;
  uint32_t environment_, episode_, step_, used_ = 0;
  Random4 words_{};
  const double* given_;
  int64_t count_;
  bool exhausted_ = false;
};

}  // namespace orbit

// Draws an action from one state's outputs, in float64: the same numbers as src/policy/mlp_actions.cpp draws from the same outputs.
// Torch-free.
#pragma once
#include <cmath>
#include "extensions/draws.h"
#include "extensions/mlp/policy_head.h"

namespace orbit {

struct DrawName {
  uint64_t seed;
  uint32_t agent, step;

  // The numbers of draw_action (draws.h), one without the other.
  double uniform(int64_t a) const {
    const Random4 r = draw4(seed, Stream::kPolicy, agent, step, uint32_t(a));
    return unit_double(r.v[0], r.v[1]);
  }
  double normal(int64_t a) const { return draw_action(seed, Stream::kPolicy, agent, step, uint32_t(a)).normal; }
};

// The first choice of each number whose cumulated probability passes a uniform number. Returns the log-probability.
inline float sample_choices(const PolicyHead& head, const float* out, const DrawName& name, int64_t* chosen) {
  double log_prob = 0;
  for (int64_t a = 0; a < head.numbers; ++a) {
    const int64_t n = head.choices[a];
    double top = double(out[0]), sum = 0;
    for (int64_t k = 1; k < n; ++k) top = double(out[k]) > top ? double(out[k]) : top;
    const auto weight = [&](int64_t k) { return double(out[k]) == top ? 1.0 : std::exp(double(out[k]) - top); };
    for (int64_t k = 0; k < n; ++k) sum += weight(k);
    const double u = name.uniform(a) * sum;
    int64_t choice = 0;
    double passed = 0;
    for (int64_t k = 0; k < n; ++k) {
      const double e = weight(k);
      if (e > 0) choice = k;  // the last possible one, should rounding leave the sum below u
      passed += e;
      if (u < passed) break;
    }
    chosen[a] = choice;
    log_prob += double(out[choice]) - top - std::log(sum);
    out += n;
  }
  return float(log_prob);
}

inline float sample_numbers(const PolicyHead& head, const float* out, const DrawName& name, float* number) {
  constexpr double kHalfLog2Pi = 0.91893853320467274178;
  double log_prob = 0;
  for (int64_t a = 0; a < head.numbers; ++a) {
    const double mean = double(out[a]), log_std = double(head.log_std[a]), sigma = std::exp(log_std);
    double u = mean + sigma * name.normal(a);
    if (head.low) {
      const double range = head.high[a] - head.low[a];
      number[a] = float(head.low[a] + range * (std::tanh(u) + 1.0) * 0.5);
      const double place = squashed_place(head, a, double(number[a]));
      u = std::atanh(place);
      log_prob -= std::log(0.5 * range * (1.0 - place * place));
    } else {
      number[a] = float(u);
      u = double(number[a]);
    }
    const double z = (u - mean) / sigma;
    log_prob -= 0.5 * z * z + log_std + kHalfLog2Pi;
  }
  return float(log_prob);
}

}  // namespace orbit

// The PPO objective of a tile of states and its gradient with respect to the network's outputs, in vectors of states. The formulas
// are those of src/ppo/loss.cpp and src/policy/mlp_actions.cpp, term by term; their derivatives stand beside them.
#pragma once
#include "extensions/mlp/mlp_net.h"
#include "extensions/mlp/policy_head.h"

namespace orbit {

enum PpoTerm { kTermPolicy, kTermValue, kTermEntropy, kTermApproxKl, kTermClipFraction, kPpoTerms };

struct PpoCoefficients {
  float clip_eps, entropy_coef, value_coef;
  float value_clip_eps;  // negative: the value loss is not clipped
};

// A tile of states, number by number: (kTileRows) each. 0 in rows that are none, weight too.
struct PpoTile {
  float *old_log_prob, *old_value, *advantage, *ret, *weight;
  float* action;    // (A, kTileRows) choices as whole numbers, or the Gaussian's number; of squashed ones 1 + tanh of it
  float* opposite;  // (A, kTileRows) of squashed ones: 1 - tanh
  float* out;       // (outputs + 1, kTileRows) of the network; on return the loss's gradient
  float* scratch;   // (outputs, kTileRows)
};

inline namespace ORBIT_KERNEL_SET {

// What one vector of states needs of its actions to go on to the loss.
struct HeadRow {
  Floats log_prob{}, entropy{};
};

// p in scratch, log p in out, for each choice.
inline HeadRow score_choices(const PolicyHead& head, const PpoTile& t, int64_t row) {
  HeadRow r;
  float *out = t.out + row, *p = t.scratch + row;
  for (int64_t a = 0; a < head.numbers; ++a) {
    const int64_t n = head.choices[a];
    Floats top = load<Floats>(out), sum{};
    for (int64_t k = 1; k < n; ++k) top = max(top, load<Floats>(out + k * kTileRows));
    for (int64_t k = 0; k < n; ++k) sum += exp_of(load<Floats>(out + k * kTileRows) - top);
    const Floats normaliser = top + log_of(sum), chosen = load<Floats>(t.action + a * kTileRows + row);
    for (int64_t k = 0; k < n; ++k) {
      const Floats log_p = load<Floats>(out + k * kTileRows) - normaliser, e = exp_of(log_p);
      r.log_prob += chosen == float(k) ? log_p : Floats{};
      r.entropy -= e * log_p;
      store(out + k * kTileRows, log_p);
      store(p + k * kTileRows, e);
    }
    out += n * kTileRows, p += n * kTileRows;
  }
  return r;
}

// d loss / d logit k = d loss / d log-probability (1[chosen] - p_k) - d loss / d entropy p_k (log p_k + entropy of this number).
inline void slope_of_choices(const PolicyHead& head, const PpoTile& t, int64_t row, Floats d_log_prob, Floats d_entropy) {
  float *out = t.out + row, *p = t.scratch + row;
  for (int64_t a = 0; a < head.numbers; ++a) {
    const int64_t n = head.choices[a];
    const Floats chosen = load<Floats>(t.action + a * kTileRows + row);
    Floats entropy{};
    for (int64_t k = 0; k < n; ++k) entropy -= load<Floats>(p + k * kTileRows) * load<Floats>(out + k * kTileRows);
    for (int64_t k = 0; k < n; ++k) {
      const Floats e = load<Floats>(p + k * kTileRows), log_p = load<Floats>(out + k * kTileRows);
      const Floats is_chosen = chosen == float(k) ? Floats{} + 1.0f : Floats{};
      store(out + k * kTileRows, d_log_prob * (is_chosen - e) - d_entropy * e * (log_p + entropy));
    }
    out += n * kTileRows, p += n * kTileRows;
  }
}

constexpr float kHalfLogTwoPi = 0.91893853320467274f;

// (u - mean) in scratch; of squashed ones, action becomes u and opposite becomes tanh(u).
inline HeadRow score_numbers(const PolicyHead& head, const PpoTile& t, int64_t row) {
  HeadRow r;
  for (int64_t a = 0; a < head.numbers; ++a) {
    const int64_t at = a * kTileRows + row;
    const float log_std = head.log_std[a];
    Floats u = load<Floats>(t.action + at);
    r.entropy += log_std + 0.5f + kHalfLogTwoPi;
    if (head.low) {
      const Floats above = u, below = load<Floats>(t.opposite + at), log_above = log_of(above), log_below = log_of(below);
      const Floats half_range = Floats{} + float(0.5 * (head.high[a] - head.low[a]));
      const Floats log_slope = log_of(half_range) + log_above + log_below;  // |da/du| = (high - low) / 2 (1 - tanh(u)^2)
      u = 0.5f * (log_above - log_below);
      store(t.action + at, u);
      store(t.opposite + at, 0.5f * (above - below));
      r.log_prob -= log_slope;
      r.entropy += log_slope;
    }
    const Floats off = u - load<Floats>(t.out + at), z = off * exp_of(Floats{} - log_std);
    store(t.scratch + at, off);
    r.log_prob -= 0.5f * z * z + (log_std + kHalfLogTwoPi);
  }
  return r;
}

// log N: z / sigma by the mean, z^2 - 1 by log sigma. Entropy: 1 by log sigma; of squashed ones also -2 tanh(u) by u, which moves
// with the mean as it is and with log sigma as u - mean.
inline void slope_of_numbers(const PolicyHead& head, const PpoTile& t, int64_t row, Floats d_log_prob, Floats d_entropy, float* d_log_std) {
  for (int64_t a = 0; a < head.numbers; ++a) {
    const int64_t at = a * kTileRows + row;
    const Floats inverse = exp_of(Floats{} - head.log_std[a]), off = load<Floats>(t.scratch + at), z = off * inverse;
    Floats d_mean = d_log_prob * z * inverse, d_sigma = d_log_prob * (z * z - 1.0f) + d_entropy;
    if (head.low) {
      const Floats pull = d_entropy * -2.0f * load<Floats>(t.opposite + at);
      d_mean += pull;
      d_sigma += pull * off;
    }
    store(t.out + at, d_mean);
    d_log_std[a] += sum(d_sigma);
  }
}

// terms (kPpoTerms): weighted sums are added to them; d_log_std (A) too.
inline void ppo_head(const PolicyHead& head, const PpoCoefficients& c, const PpoTile& t, int64_t rows, double* terms, float* d_log_std) {
  Floats sums[kPpoTerms] = {};
  for (int64_t row = 0; row < rows; row += kWidth<Floats>) {
    const HeadRow now = head.choices ? score_choices(head, t, row) : score_numbers(head, t, row);
    const Floats weight = load<Floats>(t.weight + row), advantage = load<Floats>(t.advantage + row);
    const Floats difference = now.log_prob - load<Floats>(t.old_log_prob + row), ratio = exp_of(difference);
    const Floats clipped = min(Floats{} + (1.0f + c.clip_eps), max(Floats{} + (1.0f - c.clip_eps), ratio));
    const Floats free = ratio * advantage, held = clipped * advantage;
    sums[kTermPolicy] -= weight * min(free, held);
    const Floats d_log_prob = free <= held ? -weight * free : Floats{};

    float* value_out = t.out + head.outputs * kTileRows + row;
    const Floats value = load<Floats>(value_out), ret = load<Floats>(t.ret + row), error = value - ret;
    Floats loss = error * error, d_value = 2.0f * error;
    if (c.value_clip_eps >= 0) {
      const Floats old = load<Floats>(t.old_value + row);
      const Floats moved = min(Floats{} + c.value_clip_eps, max(Floats{} - c.value_clip_eps, value - old)), far = old + moved - ret;
      d_value = far * far > loss && moved != value - old ? Floats{} : d_value;
      loss = max(loss, far * far);
    }
    sums[kTermValue] += weight * loss;
    store(value_out, c.value_coef * weight * d_value);

    sums[kTermEntropy] += weight * now.entropy;
    const Floats d_entropy = -c.entropy_coef * weight;
    if (head.choices) slope_of_choices(head, t, row, d_log_prob, d_entropy);
    else slope_of_numbers(head, t, row, d_log_prob, d_entropy, d_log_std);

    sums[kTermApproxKl] -= weight * difference;
    const Floats distance = max(ratio - 1.0f, 1.0f - ratio);
    sums[kTermClipFraction] += distance > c.clip_eps ? weight : Floats{};
  }
  for (int k = 0; k < kPpoTerms; ++k) terms[k] += double(sum(sums[k]));
}

}  // namespace ORBIT_KERNEL_SET
}  // namespace orbit

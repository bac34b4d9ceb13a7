// What a policy may choose between: whole numbers, each from its own range, or real numbers, each with bounds. Torch-free.
#pragma once
#include <cstdint>
#include <utility>
#include <vector>

namespace orbit {

// An action is (B, A): int64 of choices 0 .. choices[a] - 1, or float32 of continuous numbers.
struct ActionSpace {
  std::vector<int64_t> choices;  // (A) how many each number has; empty where the action is continuous
  std::vector<float> low, high;  // (A) bounds of the continuous numbers, possibly infinite

  static ActionSpace categorical(int64_t n) { return {{n}, {}, {}}; }
  static ActionSpace multi_discrete(std::vector<int64_t> sizes) { return {std::move(sizes), {}, {}}; }
  static ActionSpace continuous(std::vector<float> low, std::vector<float> high) { return {{}, std::move(low), std::move(high)}; }

  bool discrete() const { return !choices.empty(); }
  int64_t size() const { return int64_t(discrete() ? choices.size() : low.size()); }  // A
  // Numbers that a network gives for it: a logit for each choice, or a mean for each continuous number.
  int64_t outputs() const {
    if (!discrete()) return size();
    int64_t sum = 0;
    for (const int64_t n : choices) sum += n;
    return sum;
  }
};

}  // namespace orbit

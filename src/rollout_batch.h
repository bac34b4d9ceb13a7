// What the stages of an iteration hand on: the rollout, and the advantages computed from it.
#pragma once
#include <ATen/core/Tensor.h>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace orbit {

// T steps of R rows; a row is one learning agent. Observations and actions are what the task says (task.h).
struct RolloutBatch {
  std::vector<std::pair<std::string, at::Tensor>> observation;  // (T, R, ...) in which the action was chosen
  std::vector<std::pair<std::string, at::Tensor>> action;       // (T, R, ...)
  at::Tensor log_prob;     // (T, R) float32, of the action when it was drawn
  at::Tensor value;        // (T, R) float32
  at::Tensor reward;       // (T, R) float32
  at::Tensor terminated;   // (T, R) bool: the episode ended by its rules with this step
  at::Tensor truncated;    // (T, R) bool: cut after this step, by a time limit or by the end of the rollout
  at::Tensor final_value;  // (T, R) float32: value of the true last observation where truncated and not terminated, else 0
  at::Tensor active;       // (T, R) bool: false where a row idled after an early end
  at::Tensor outcome;      // (T, R) int32: +1 won, 0 drawn, -1 lost, where terminated; 0 in tasks without winners

  // f(name, tensor) for every tensor, in the order above.
  template <class F>
  void for_each(F f) const {
    for (const auto& [name, t] : observation) f(name, t);
    for (const auto& [name, t] : action) f(name, t);
    const std::pair<const char*, const at::Tensor*> rest[] = {
        {"log_prob", &log_prob},   {"value", &value},       {"reward", &reward},   {"terminated", &terminated}, {"truncated", &truncated},
        {"final_value", &final_value}, {"active", &active}, {"outcome", &outcome}};
    for (const auto& [name, t] : rest) f(std::string(name), *t);
  }

  int64_t steps() const { return reward.size(0); }
  int64_t rows() const { return reward.size(1); }
};

inline std::vector<at::Tensor> tensors_of(const std::vector<std::pair<std::string, at::Tensor>>& named) {
  std::vector<at::Tensor> list;
  for (const auto& [name, t] : named) list.push_back(t);
  return list;
}

struct Advantages {
  at::Tensor advantage;  // (T, R) float32, not normalised
  at::Tensor ret;        // (T, R) float32: advantage + value
};

}  // namespace orbit

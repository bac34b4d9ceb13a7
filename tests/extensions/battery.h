// What the battery (battery_test.cpp) asks of an environment, and the list of environments that it is run on.
#pragma once
#include <ATen/core/Tensor.h>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace orbit {

class BatterySubject {
 public:
  virtual ~BatterySubject() = default;
  virtual void reset() = 0;
  // Random legal actions, a function of (action_seed, number of the environment, steps made).
  virtual void step(uint64_t action_seed) = 0;
  // What a learner sees, environments leading: observation, then reward, terminated, truncated of the last step.
  virtual std::vector<at::Tensor> seen() const = 0;
  // All that lives between steps; tensors that share storage with the environments.
  virtual std::vector<at::Tensor> state() const = 0;
  // (D) each, of the observation; undefined where it has no stated bounds.
  virtual at::Tensor observation_low() const { return {}; }
  virtual at::Tensor observation_high() const { return {}; }
  virtual std::pair<float, float> reward_bounds() const = 0;
};

struct BatteryEntry {
  std::string name;
  // count environments, numbered from `first`.
  std::function<std::unique_ptr<BatterySubject>(int64_t count, uint64_t seed, int64_t first)> make;
};

// Orbit Wars; every built-in small environment; the test library's.
std::vector<BatteryEntry> battery_entries();

}  // namespace orbit

// Evaluation on a small environment: the greedy policy plays an episode in each of N environments, the same ones every time.
#pragma once
#include <functional>
#include <optional>
#include "src/policy/actor_critic.h"
#include "src/recurrent_task.h"
#include "src/small_env_task.h"

namespace orbit {

struct EpisodeResult {
  int64_t episodes = 0;
  double mean_return = 0, half_width = 0;  // of the 95 % interval of the mean (Student's t)
  double mean_length = 0;
  double terminated = 0;  // share that ended by the environment's rules; what that means, a goal or a fall, is the environment's
};

class EpisodeEvaluation {
 public:
  // An episode that goes on after kMostSteps is cut there (environments without a time limit).
  static constexpr int64_t kMostSteps = 100000;

  // memory: numbers that a recurrent policy remembers; 0 for others.
  explicit EpisodeEvaluation(SmallEnvOptions options, int64_t memory = 0) : task_(std::move(options)) {
    if (memory > 0) recurrent_.emplace(task_, memory);
  }
  // Nothing if stop() ended it early. Throws RunError where an environment gave numbers that can't be used.
  std::optional<EpisodeResult> play(const Policy& policy, const std::function<bool()>& stop);

 private:
  SmallEnvTask task_;
  std::optional<RecurrentTask> recurrent_;
};

}  // namespace orbit

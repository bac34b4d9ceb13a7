// What a run trains on: a task together with all of it that PPO does not see, such as opponents, boards, evaluation, and what must
// be saved. Orbit Wars and the small environments stand behind this one interface.
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>
#include "src/config/config.h"
#include "src/report/run_report.h"
#include "src/task.h"
#include "src/train_state.h"

namespace orbit {

// A line of what orbit_train --dry-run prints.
struct MemorySize {
  std::string name;
  int64_t bytes;
  std::string of;  // what is counted, "32 games"
};

class TrainingTask {
 public:
  virtual ~TrainingTask() = default;
  virtual Task& task() = 0;

  // What outlives a rollout, by name: the tensors themselves. Copies of them, put back, repeat all that followed.
  virtual std::vector<NamedTensor> state() const = 0;
  void restore(const std::vector<NamedTensor>& saved);

  // Before the rollout of state.iteration. Returns true where its steps do other work than before (another opponent, other
  // boards), so that what was captured no longer holds.
  virtual bool begin_rollout(TrainState& state) = 0;
  // After it. Throws RunError where an environment gave numbers that can't be used.
  virtual void end_rollout() = 0;
  // Of the last rollout: the stage, episodes as this task counts them, metrics of its own.
  virtual void describe(IterationReport& row) const = 0;
  // The iteration counts: it has been evaluated and won't be repeated.
  virtual void end_iteration(TrainState& /*state*/, IterationReport& /*row*/) {}

  // Greedy episodes that are not trained on; empty if stop() ended them early.
  virtual EvaluationReport evaluate(std::shared_ptr<const Policy> policy, const std::function<bool()>& stop) = 0;
  virtual std::vector<MemorySize> sizes() const = 0;
};

// What environment.name says. Throws UserError for an environment library that can't be used.
std::unique_ptr<TrainingTask> make_training_task(const Config& config);

// Detached copies, under the same names.
std::vector<NamedTensor> copies_of(const std::vector<NamedTensor>& tensors);

}  // namespace orbit

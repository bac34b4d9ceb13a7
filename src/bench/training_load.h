// One iteration of a training run as a load: a rollout, then some of its updates.
#pragma once
#include "src/config/config.h"
#include "src/bench/recorded_task.h"
#include "src/orbit_training.h"
#include "src/ppo/rollout.h"
#include "src/ppo/update.h"
#include "src/train_state.h"

namespace orbit {

// Seconds of an iteration.
struct LoadSeconds {
  double environment = 0, inference = 0, update = 0;
};

class TrainingLoad {
 public:
  // With recorded games in the place of the policy's own, if there are some; they must outlive it.
  TrainingLoad(const Config& config, const RecordedPlay* recorded);

  void play();  // a rollout of the config's horizon, on new games
  // The first minibatches of its updates, all of them if there are fewer. Time counts as if it had been all, so that an iteration
  // is put together from a part.
  void learn(int64_t minibatches);

  const LoadSeconds& seconds() const { return seconds_; }  // of the last play and learn
  bool orbit_wars() const { return orbit_ || recorded_; }
  double mean_fleets() const { return mean_fleets_; }       // in flight during the last rollout of Orbit Wars
  int64_t steps() const;                                    // of all environments in a rollout
  int64_t samples() const;                                  // states of learning seats in a rollout
  int64_t minibatches() const;                              // in all epochs

 private:
  Task& task() { return recorded_ ? *recorded_ : training_task_->task(); }

  Config config_;
  std::unique_ptr<TrainingTask> training_task_;  // or
  std::unique_ptr<RecordedTask> recorded_;
  const OrbitTraining* orbit_;  // the training task where it is that, else null
  TrainState state_;
  RolloutBatch batch_;
  Rollout rollout_;
  Update update_;
  LoadSeconds seconds_;
  double mean_fleets_ = 0;
};

}  // namespace orbit

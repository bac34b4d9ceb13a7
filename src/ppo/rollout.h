// Collecting experience: T steps of every row with the present policy.
#pragma once
#include <functional>
#include "src/captured_step.h"
#include "src/policy/actor_critic.h"
#include "src/rollout_batch.h"
#include "src/task.h"

namespace orbit {

struct RolloutOptions {
  int64_t horizon = 500;            // T
  bool bootstrap_truncated = true;  // the future of a truncated episode is worth the value of its last observation; else 0
  uint64_t seed = 0;
};

// Seconds in the environment (observing and stepping) and in the network with sampling. A replayed step is not told apart: all
// of it counts as inference. launch: of both, until the host had handed all work to a device that works on its own.
struct RolloutTimes {
  double environment = 0, inference = 0, launch = 0;
};

// Makes the backend of a captured step, or null for none.
using MakeBackend = std::function<std::unique_ptr<CaptureBackend>()>;

class Rollout {
 public:
  // All must outlive this object. batch: from make_rollout_batch; every call of collect writes it anew.
  Rollout(RolloutOptions options, Task& task, const Policy& policy, RolloutBatch& batch, MakeBackend make_backend);

  // Plays the horizon. Returns false, with nothing of use in the batch, when stop() asked to end early.
  bool collect(const std::function<bool()>& stop);
  // The task does other work than before (another opponent): what was captured no longer holds.
  void recapture();

  // (R) bool: episodes of the last rollout that go on in the next one.
  const at::Tensor& goes_on() const { return goes_on_; }
  const RolloutTimes& times() const { return times_; }  // of the last call

 private:
  void play_step();
  void keep_final_observations();
  void value_final_observations();

  RolloutOptions options_;
  Task& task_;
  const Policy& policy_;
  RolloutBatch& batch_;
  MakeBackend make_backend_;

  // At fixed addresses, since a captured step reads and writes them.
  RolloutBatch now_;                        // the present step: a rollout with T = 1
  at::Tensor step_, agents_;                // (1) int64 row of the batch to write; (R) int64 names of the random draws
  at::Tensor goes_on_;                      // (R) bool
  std::vector<at::Tensor> last_;            // final observation of the present step (R, ...)
  std::vector<at::Tensor> kept_;            // (K R + 1, ...): K truncations a row, and one place for those that are none
  at::Tensor used_, place_, place_now_;     // (R) places taken so far; (T, R) and (1, R) row of kept_; int64

  const MlpTensors* network_;               // the policy as fused operators know it, or null
  std::unique_ptr<CapturedStep> play_, finish_;
  RolloutTimes times_;
};

// Zeroed buffers of a rollout of this task.
RolloutBatch make_rollout_batch(int64_t steps, const Task& task);
int64_t bytes_of(const RolloutBatch& batch);

}  // namespace orbit

// A small environment as a task: what PPO is given is what the operators say, episode after episode, over ends and cuts.
#include "src/small_env_task.h"
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "extensions/env_registry.h"
#include "extensions/ops.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

struct Outcome {
  StepOutcome step;
  at::Tensor observation, last;

  explicit Outcome(const SmallEnvTask& task) {
    const int64_t n = task.rows(), width = task.env().observation_size;
    step = {at::zeros({n}), at::zeros({n}, at::kBool), at::zeros({n}, at::kBool), at::ones({n}, at::kInt)};
    observation = at::zeros({n, width});
    last = at::zeros({n, width});
  }
};

at::Tensor random_action(const SmallEnvTask& task) {
  const Bounds b = task.env().action_bounds[0];
  const std::vector<int64_t> shape{task.rows(), task.env().action_size};
  if (task.env().action_kind == ActionKind::kContinuous) return at::rand(shape) * (double(b.high) - b.low) + double(b.low);
  return at::randint(int64_t(b.high) + 1, shape, at::kLong);
}

TEST(SmallEnvTask, GivesWhatTheOperatorsSay) {
  const uint64_t seed = fresh_seed();
  at::manual_seed(seed);
  for (const char* name : {"cartpole", "pendulum", "push_cube"}) {
    SmallEnvTask task({.name = name, .environments = 13, .seed = seed, .first = 4, .time_limit = 20});
    auto batch = make_env_batch(find_env(name), 13, false, at::kCPU);
    ops::env_reset_(name, batch, seed, 4);
    Outcome o(task);
    int64_t ends = 0;
    for (int rollout = 0; rollout < 3; ++rollout) {
      task.begin_rollout();  // episodes go on
      for (int t = 0; t < 30; ++t) {
        task.observe({o.observation});
        ASSERT_TRUE(at::equal(o.observation, batch[kEnvObservation])) << name << ", step " << t;
        const at::Tensor action = random_action(task);
        task.step({action}, o.step, {o.last});
        ops::env_step_(name, batch, action, seed, 4, 20);
        ASSERT_TRUE(at::equal(o.step.reward, batch[kEnvReward]));
        ASSERT_TRUE(at::equal(o.step.terminated, batch[kEnvTerminated]));
        ASSERT_TRUE(at::equal(o.step.truncated, batch[kEnvTruncated]));
        ASSERT_FALSE(o.step.outcome.any().item<bool>()) << "nobody wins";
        const at::Tensor ended = o.step.terminated.logical_or(o.step.truncated);
        ASSERT_TRUE(at::equal(o.last.index({ended}), batch[kEnvFinalObservation].index({ended})));
        ends += ended.sum().item<int64_t>();
      }
    }
    EXPECT_GT(ends, 0) << name;
    EXPECT_EQ(task.turn().item<int64_t>(), 90);
    EXPECT_TRUE(task.faults().empty());
  }
}

// Rollouts reserve places for last observations by this number, so it must never be too small.
TEST(SmallEnvTask, NoRowIsTruncatedMoreOftenThanStated) {
  const uint64_t seed = fresh_seed();
  at::manual_seed(seed);
  load_env_library(ORBIT_LIB_DIR "/dice_walk.so");
  for (const char* name : {"pendulum", "cartpole", "dice_walk"})
    for (const int64_t limit : {1, 3, 7, 0}) {
      SmallEnvTask task({.name = name, .environments = 50, .seed = seed, .time_limit = limit});
      Outcome o(task);
      for (const int64_t steps : {1, 6, 7, 8, 20}) {
        at::Tensor truncations = at::zeros({50}, at::kLong);
        for (int64_t t = 0; t < steps; ++t) {
          task.step({random_action(task)}, o.step, {o.last});
          truncations += o.step.truncated;
        }
        EXPECT_LE(truncations.max().item<int64_t>(), task.truncations_within(steps))
            << name << ", limit " << limit << ", " << steps << " steps";
      }
    }
}

TEST(SmallEnvTask, FaultsNameTheEnvironment) {
  SmallEnvTask task({.name = "nav", .environments = 5, .first = 10});
  Outcome o(task);
  const at::Tensor action = random_action(task);
  action[3][1] = std::numeric_limits<float>::quiet_NaN();
  task.step({action}, o.step, {o.last});
  ASSERT_EQ(task.faults().size(), 1u);
  EXPECT_THAT(task.faults()[0], testing::StartsWith("nav, environment 13: "));
}

}  // namespace
}  // namespace orbit

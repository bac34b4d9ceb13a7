// Rollouts of a task that only time limits cut, against its values in closed form.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include "src/ppo/advantage.h"
#include "src/ppo/rollout.h"
#include "src/ppo/update.h"
#include "tests/support/fresh_seed.h"
#include "tests/support/operator_record.h"
#include "tests/support/toy_task.h"

namespace orbit {
namespace {

const auto never = [] { return false; };
const MakeBackend eagerly = [] { return std::unique_ptr<CaptureBackend>(); };

// With the true values nothing is surprising: cuts in the middle, at the end of the rollout, and episodes that go on after it.
TEST(Rollout, TheTrueLastObservationIsWorthItsValue) {
  const double gamma = 0.95;
  DecayTask task(8);
  const LinearPolicy policy(1.0 / (1.0 - gamma * task.decay));
  for (const int64_t horizon : {1, 4, 5, 12, 23}) {
    RolloutBatch batch = make_rollout_batch(horizon, task);
    Rollout rollout({horizon, true, 1}, task, policy, batch, eagerly);
    for (int i = 0; i < 3; ++i) {
      ASSERT_TRUE(rollout.collect(never));
      EXPECT_TRUE(batch.truncated.select(0, horizon - 1).all().item<bool>());
      EXPECT_LT(compute_gae(batch, gamma, 0.9).advantage.abs().max().item<double>(), 1e-5) << "horizon " << horizon;
    }
  }
}

TEST(Rollout, WithoutBootstrapACutIsAnEnd) {
  DecayTask task(4);
  const LinearPolicy policy(2.0);
  RolloutBatch batch = make_rollout_batch(7, task);
  Rollout rollout({7, false, 1}, task, policy, batch, eagerly);
  rollout.collect(never);
  EXPECT_EQ(batch.final_value.abs().max().item<double>(), 0);
}

TEST(Rollout, TerminationWinsWhereBothFlagsFire) {
  const double gamma = 0.95;
  DecayTask task(8);
  task.ends_as_well = true;
  const LinearPolicy policy(1.0 / (1.0 - gamma * task.decay));
  RolloutBatch batch = make_rollout_batch(11, task);
  Rollout rollout({11, true, 1}, task, policy, batch, eagerly);
  rollout.collect(never);
  const at::Tensor both = batch.terminated.logical_and(batch.truncated);
  ASSERT_TRUE(both.any().item<bool>());
  EXPECT_EQ(batch.final_value.masked_select(both).abs().max().item<double>(), 0);
  const at::Tensor surprise = compute_gae(batch, gamma, 0.9).advantage.masked_select(both);
  const at::Tensor expected = (batch.reward - batch.value).masked_select(both);  // nothing is to come
  EXPECT_LT((surprise - expected).abs().max().item<double>(), 1e-5);
}

// Learned from nothing: with lambda 1 the returns are Monte Carlo sums up to the cut, which alone would be far too small.
TEST(Rollout, TheValueIsLearnedThroughCuts) {
  at::manual_seed(fresh_seed());
  const double gamma = 0.9;
  DecayTask task(16);
  LinearPolicy policy;
  RolloutBatch batch = make_rollout_batch(20, task);
  Rollout rollout({20, true, 1}, task, policy, batch, eagerly);
  AdamWOptions o;
  o.lr.start = 0.05, o.weight_decay = 0, o.max_grad_norm = 100;
  AdamW optimizer(policy.named_parameters(), o);
  UpdateProgress progress(at::kCPU);
  UpdateOptions u;
  u.minibatch_size = 64;
  u.loss.entropy_coef.start = 0;
  Update update(u, policy, nullptr, optimizer, batch, progress, eagerly);
  for (int i = 0; i < 150; ++i) {
    rollout.collect(never);
    const Advantages a = compute_gae(batch, gamma, 0.95);
    progress.begin();
    update.run(normalise_advantages(a.advantage, batch.active), a.ret, i, never);
  }
  EXPECT_NEAR(policy.named_parameters()[1].second.item<double>(), 1.0 / (1.0 - gamma * task.decay), 0.1);
}

// As in capture_test, for what orbit_wars does not have: cuts within a rollout.
TEST(Rollout, CutsReplay) {
  const uint64_t seed = fresh_seed();
  const auto play = [&](const MakeBackend& backend) {
    at::manual_seed(seed);
    DecayTask task(8);
    const LinearPolicy policy(3.0);
    RolloutBatch batch = make_rollout_batch(13, task);
    Rollout rollout({13, true, seed}, task, policy, batch, backend);
    for (int i = 0; i < 7; ++i) rollout.collect(never);
    return batch;
  };
  const RolloutBatch eager = play(eagerly), replayed = play([] { return std::make_unique<ReplayBackend>(); });
  std::vector<at::Tensor> expected;
  eager.for_each([&](const std::string&, const at::Tensor& t) { expected.push_back(t); });
  size_t i = 0;
  replayed.for_each([&](const std::string& name, const at::Tensor& t) { EXPECT_TRUE(t.equal(expected[i++])) << name; });
}

}  // namespace
}  // namespace orbit

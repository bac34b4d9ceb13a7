// The update stage: what an option changes about a whole update, on a policy small enough to see through.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include <map>
#include "src/ppo/minibatch_order.h"
#include "src/ppo/update.h"
#include "tests/support/fresh_seed.h"
#include "tests/support/toy_task.h"

namespace orbit {
namespace {

const MakeBackend eagerly = [] { return std::unique_ptr<CaptureBackend>(); };

LinearPolicy seeded_policy(uint64_t seed) {
  at::manual_seed(seed);
  return LinearPolicy(0.5);
}

struct SmallUpdate {
  LinearPolicy policy;
  std::unique_ptr<Policy> reference;
  DecayTask task{6};
  RolloutBatch batch = make_rollout_batch(8, task);
  AdamW optimizer;
  UpdateProgress progress{at::kCPU};
  at::Tensor advantage, ret;

  explicit SmallUpdate(uint64_t seed, AdamWOptions o = {})
      : policy(seeded_policy(seed)), reference(policy.clone()), optimizer(policy.named_parameters(), o) {
    Rollout({8, true, seed}, task, policy, batch, eagerly).collect([] { return false; });
    batch.active = at::rand({8, 6}).lt(0.8);
    advantage = at::randn({8, 6});
    ret = at::randn({8, 6});
    progress.begin();
  }
  at::Tensor weights() const {
    const auto& p = policy.named_parameters();
    return at::cat({p[0].second.detach().flatten(), p[1].second.detach().flatten()});
  }
  void run(UpdateOptions o, const Policy* ref = nullptr) {
    Update(o, policy, ref, optimizer, batch, progress, eagerly).run(advantage, ret, 3, [] { return false; });
  }
};

UpdateOptions small(int64_t minibatch = 12) {
  UpdateOptions o;
  o.minibatch_size = minibatch;
  return o;
}

TEST(Update, AMinibatchInPartsIsTheSameUpdate) {
  const uint64_t seed = fresh_seed();
  SmallUpdate whole(seed), parts(seed);
  whole.run(small());
  UpdateOptions o = small();
  o.accumulation = 4;
  parts.run(o);
  EXPECT_LT((whole.weights() - parts.weights()).abs().max().item<double>(), 1e-6);
  EXPECT_LT((whole.progress.sums - parts.progress.sums).abs().max().item<double>(), 1e-4);
}

TEST(Update, IdleRowsAndPaddingDoNotCount) {
  const uint64_t seed = fresh_seed();
  SmallUpdate a(seed), b(seed);
  const at::Tensor idle = a.batch.active.logical_not();
  b.advantage.masked_fill_(idle, 1e3);
  b.ret.masked_fill_(idle, 1e3);
  a.run(small(7));
  b.run(small(7));
  EXPECT_TRUE(a.weights().equal(b.weights()));
}

TEST(Update, TheReferenceFollows) {
  SmallUpdate s(fresh_seed());
  const at::Tensor start = s.reference->named_parameters()[0].second.detach().clone();
  UpdateOptions o = small(1000);  // one minibatch an epoch
  o.epochs = 1;
  o.reference_decay = 0.75;
  s.run(o, s.reference.get());
  const at::Tensor now = s.policy.named_parameters()[0].second.detach();
  EXPECT_FALSE(now.equal(start));
  EXPECT_TRUE(at::allclose(s.reference->named_parameters()[0].second.detach(), start * 0.75 + now * 0.25));
}

TEST(Update, TargetKlStopsTheRest) {
  SmallUpdate s(fresh_seed(), {{0.5}});
  UpdateOptions o = small();
  o.epochs = 50;
  o.target_kl = 1e-4;
  s.run(o);
  const double applied = s.progress.sums[kApplied].item<double>();
  EXPECT_EQ(s.progress.stopped.item<double>(), 1);
  EXPECT_EQ(s.progress.diverged[0].item<double>(), 0);
  EXPECT_GE(applied, 1);
  EXPECT_LT(applied, 50 * 3);
  EXPECT_EQ(s.optimizer.steps_done().item<double>(), applied);
}

// A sick number anywhere reaches the loss or its gradient, and no tensor that lives on.
TEST(Update, ALossThatDivergesChangesNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  for (const double sick : {nan, inf, 1e8}) {
    SmallUpdate s(fresh_seed());
    s.batch.active.fill_(true);
    s.ret.fill_(sick);
    const at::Tensor before = s.weights();
    UpdateOptions o = small();
    o.reference_decay = 0.5;
    s.run(o, s.reference.get());
    EXPECT_EQ(s.progress.diverged[0].item<double>(), 1) << sick;
    EXPECT_TRUE(s.weights().equal(before)) << sick;
    EXPECT_EQ(s.progress.sums.abs().max().item<double>(), 0);
    EXPECT_EQ(s.optimizer.steps_done().item<double>(), 0);
    for (const at::Tensor& t : s.optimizer.state()) EXPECT_TRUE(t.isfinite().all().item<bool>());
    EXPECT_TRUE(s.reference->named_parameters()[0].second.isfinite().all().item<bool>());
  }
}

TEST(Update, TheFirstUnsoundLossIsKept) {
  SmallUpdate s(fresh_seed());
  s.batch.active.fill_(true);
  UpdateOptions o = small(48);
  o.loss_limit = 1e-12;
  s.run(o);
  EXPECT_EQ(s.progress.diverged[0].item<double>(), 1);
  EXPECT_NE(s.progress.diverged[1].item<double>(), 0);
}

TEST(MinibatchOrder, EveryRowOnceThenPadding) {
  const uint64_t seed = fresh_seed();
  const at::Tensor active = at::arange(100, 117, at::kLong), order = minibatch_order(active, 5, seed, 2, 1);
  ASSERT_EQ(order.numel(), 20);
  EXPECT_TRUE(std::get<0>(order.slice(0, 0, 17).sort()).equal(active));
  EXPECT_FALSE(minibatch_order(active, 5, seed, 2, 0).equal(order));
  EXPECT_FALSE(minibatch_order(active, 5, seed, 3, 1).equal(order));
  EXPECT_TRUE(minibatch_order(active, 5, seed, 2, 1).equal(order));
}

// Of five numbers all 120 orders are equally likely: chi square with 119 degrees of freedom, beyond 200 once in 200,000 times.
TEST(MinibatchOrder, AllOrdersAreEquallyLikely) {
  const uint64_t seed = fresh_seed();
  constexpr int kDraws = 60000;
  constexpr double kExpected = kDraws / 120.0;
  std::map<std::vector<int64_t>, int> seen;
  for (int i = 0; i < kDraws; ++i) ++seen[permutation(5, seed, i / 4, i % 4)];
  ASSERT_EQ(seen.size(), 120u);
  double chi_square = 0;
  for (const auto& [order, count] : seen) chi_square += (count - kExpected) * (count - kExpected) / kExpected;
  EXPECT_LT(chi_square, 200);
}

}  // namespace
}  // namespace orbit

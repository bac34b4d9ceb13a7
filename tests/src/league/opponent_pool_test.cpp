#include "src/league/opponent_pool.h"
#include <gtest/gtest.h>
#include <ATen/core/grad_mode.h>
#include <cmath>
#include <map>
#include "src/policy/orbit_policy.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

std::shared_ptr<Policy> small_policy(uint64_t seed) {
  return make_orbit_policy({4, 1, 2, 1, 0.0, 0.5, 0.0}, seed, Layout::kPacked, at::kCPU);
}

double first_weight(const std::vector<NamedTensor>& weights) { return weights[0].second.flatten()[0].item<double>(); }
void set_weights(const Policy& policy, double value) {
  at::NoGradGuard no_gradients;
  for (const auto& [name, tensor] : policy.named_parameters()) tensor.fill_(value);
}

// A pool of members with these win rates, taken at iterations 0, 1, ...
OpponentPool pool_of(PoolOptions options, const std::vector<double>& win_rates) {
  OpponentPool pool(options, small_policy(1));
  std::vector<PoolMember> members;
  for (size_t i = 0; i < win_rates.size(); ++i) {
    members.push_back(pool.empty_member());
    members.back().iteration = int64_t(i);
    members.back().win_rate = win_rates[i];
  }
  pool.restore(members);
  return pool;
}

// Share of 20,000 iterations in which each member is drawn.
std::vector<double> shares(const OpponentPool& pool) {
  std::vector<double> share(pool.members().size());
  for (int64_t i = 0; i < 20000; ++i) share[pool.drawn(i)] += 1 / 20000.0;
  return share;
}
constexpr double kTolerance = 0.02;  // five standard deviations of a share of 20,000 draws

TEST(OpponentPool, TakesSnapshotsWhenDueAndDropsTheOldest) {
  PoolOptions options;
  options.snapshot_every = 3;
  options.cap = 2;
  options.seed = fresh_seed();
  OpponentPool pool(options, small_policy(1));
  const auto learner = small_policy(2);
  for (int64_t i = 1; i <= 9; ++i) {  // begins late: a curriculum's last stage
    set_weights(*learner, double(i));
    pool.begin_iteration(i, *learner);
    pool.begin_iteration(i, *learner);  // a rollout that was stopped and is played anew
    EXPECT_EQ(first_weight(pool.opponent()->named_state()), first_weight(pool.members()[pool.drawn(i)].weights));
    if (i == 5) {
      ASSERT_EQ(pool.members().size(), 2u);
      EXPECT_EQ(pool.members()[0].iteration, 1);
      EXPECT_EQ(pool.members()[1].iteration, 3);
    }
  }
  ASSERT_EQ(pool.members().size(), 2u);
  EXPECT_EQ(pool.members()[0].iteration, 6);
  EXPECT_EQ(first_weight(pool.members()[0].weights), 6);  // its own copy
  EXPECT_EQ(first_weight(pool.members()[1].weights), 9);
}

TEST(OpponentPool, SharesFollowThePriorities) {
  PoolOptions options;
  options.seed = fresh_seed();
  options.exponent = 2;
  const std::vector<double> rates = {0.9, 0.5, 0.2};
  const std::map<PoolPriority, std::vector<double>> weights = {
      {PoolPriority::kUniform, {1, 1, 1}},
      {PoolPriority::kHard, {0.01, 0.25, 0.64}},
      {PoolPriority::kVariance, {0.0081, 0.0625, 0.0256}},
  };
  for (const auto& [priority, weight] : weights) {
    options.priority = priority;
    const std::vector<double> share = shares(pool_of(options, rates));
    for (size_t i = 0; i < 3; ++i) EXPECT_NEAR(share[i], weight[i] / (weight[0] + weight[1] + weight[2]), kTolerance) << int(priority);
  }
}

TEST(OpponentPool, AShareOfIterationsPlaysTheNewest) {
  PoolOptions options;
  options.seed = fresh_seed();
  options.newest_share = 0.4;
  EXPECT_NEAR(shares(pool_of(options, {0.5, 0.5}))[1], 0.4 + 0.6 / 2, kTolerance);
}

TEST(OpponentPool, MembersThatAreAlwaysBeatenAreDrawnAlike) {
  PoolOptions options;
  options.seed = fresh_seed();
  options.priority = PoolPriority::kHard;
  EXPECT_NEAR(shares(pool_of(options, {1, 1}))[0], 0.5, kTolerance);
}

TEST(OpponentPool, ResultsAreSmoothedIntoTheMemberThatPlayed) {
  PoolOptions options;
  options.seed = fresh_seed();
  options.smoothing = 0.75;
  OpponentPool pool = pool_of(options, {0.5, 0.5});
  const size_t played = pool.drawn(7);
  pool.record(7, 1.0);
  EXPECT_DOUBLE_EQ(pool.members()[played].win_rate, 0.625);
  EXPECT_DOUBLE_EQ(pool.members()[1 - played].win_rate, 0.5);
}

}  // namespace
}  // namespace orbit

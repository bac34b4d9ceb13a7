// env_rollout_ against the same rollout step by step through the policy's operators: over ends and cuts of episodes, rollout after
// rollout, for environments of every kind of action.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include "extensions/mlp/mlp_kernels.h"
#include "src/ppo/rollout.h"
#include "src/small_env_task.h"
#include "tests/support/fresh_seed.h"
#include "tests/support/small_policy.h"

namespace orbit {
namespace {

// A policy that no fused operator knows.
class Plain final : public Policy {
 public:
  explicit Plain(const Policy& inner) : inner_(inner) {}
  Prediction predict(at::TensorList observation) const override { return inner_.predict(observation); }
  std::unique_ptr<Policy> clone() const override { return std::make_unique<Plain>(inner_); }

 private:
  const Policy& inner_;
};

struct Play {
  SmallEnvTask task;
  RolloutBatch batch;
  Rollout rollout;

  Play(const SmallEnvOptions& env, const RolloutOptions& options, const Policy& policy)
      : task(env), batch(make_rollout_batch(options.horizon, task)), rollout(options, task, policy, batch, [] {
          return std::unique_ptr<CaptureBackend>();
        }) {}
  Play(const Play&) = delete;
  void collect() { ASSERT_TRUE(rollout.collect([] { return false; })); }
};

struct Case {
  const char* env;
  ActionSpace space;
  int64_t observation_size;
  bool squash;
};
std::vector<Case> cases() {
  return {{"cartpole", ActionSpace::categorical(2), 4, false}, {"acrobot", ActionSpace::categorical(3), 6, false},
          {"pendulum", ActionSpace::continuous({-2}, {2}), 3, false}, {"pendulum", ActionSpace::continuous({-2}, {2}), 3, true}};
}

std::unique_ptr<Policy> policy_for(const Case& c, bool normalised, uint64_t seed) {
  MlpPolicyConfig config;
  config.hidden = {24, 12};
  config.shared = seed % 2;
  config.squash = c.squash;
  config.orthogonal = false;
  auto policy = make_mlp_policy(config, c.space, c.observation_size, seed, at::kCPU);
  if (normalised) {
    policy = normalise_observations(std::move(policy), {{"observation", {c.observation_size}, at::kFloat, ""}}, at::kCPU);
    policy->learn_statistics({at::randn({5, 20, c.observation_size})}, at::ones({5, 20}, at::kBool));
  }
  return policy;
}

// Tensors of a batch, restricted to rows.
std::vector<std::pair<std::string, at::Tensor>> rows_of(const RolloutBatch& batch, const at::Tensor& rows) {
  std::vector<std::pair<std::string, at::Tensor>> all;
  batch.for_each([&](const std::string& name, const at::Tensor& t) { all.emplace_back(name, t.index_select(1, rows).to(at::kDouble)); });
  return all;
}

void expect_same(const Play& fused, const Play& plain) {
  // A draw within rounding of the threshold between two choices may fall on either side; the row then goes another way.
  at::Tensor same = at::ones({fused.batch.rows()}, at::kBool);
  if (fused.batch.action[0].second.scalar_type() == at::kLong)
    same = fused.batch.action[0].second.eq(plain.batch.action[0].second).all(2).all(0);
  ASSERT_GE(same.sum().item<int64_t>(), fused.batch.rows() - 1);
  const at::Tensor rows = same.nonzero().flatten();
  const auto a = rows_of(fused.batch, rows), b = rows_of(plain.batch, rows);
  for (size_t i = 0; i < a.size(); ++i) {
    const at::Tensor off = (a[i].second - b[i].second).abs() / b[i].second.abs().clamp_min(1);
    ASSERT_LT(off.max().item<double>(), 2e-4) << a[i].first;
  }
  EXPECT_TRUE(fused.rollout.goes_on().index_select(0, rows).equal(plain.rollout.goes_on().index_select(0, rows)));
  EXPECT_TRUE(fused.task.turn().equal(plain.task.turn()));
}

TEST(FusedRollout, EqualsStepByStep) {
  const uint64_t seed = fresh_seed();
  for (const MlpKernels* kernels : runnable_mlp_kernels()) {
    use_mlp_kernels(*kernels);
    for (const Case& c : cases())
      for (int variant = 0; variant < 4; ++variant) {
        SCOPED_TRACE(std::string(c.env) + (c.squash ? ", squashed" : "") + ", variant " + std::to_string(variant));
        const auto policy = policy_for(c, variant & 1, seed + uint64_t(variant));
        const Plain plain_policy(*policy);
        const SmallEnvOptions env{.name = c.env, .environments = 21, .in_double = bool(variant & 2), .seed = seed, .time_limit = 9};
        const RolloutOptions options{14, (variant & 3) != 3, seed};
        Play fused(env, options, *policy), plain(env, options, plain_policy);
        for (int k = 0; k < 2; ++k) {
          fused.collect();
          plain.collect();
          expect_same(fused, plain);
        }
        EXPECT_GT(fused.batch.truncated.sum().item<int64_t>(), 0);
      }
  }
}

TEST(FusedRollout, ThreadsChangeNoBit) {
  const uint64_t seed = fresh_seed();
  const int before = at::get_num_threads();
  for (const Case& c : cases()) {
    const auto policy = policy_for(c, false, seed);
    std::vector<std::vector<at::Tensor>> results;
    for (const int threads : {1, 2, 5}) {
      at::set_num_threads(threads);
      Play play({.name = c.env, .environments = 83, .seed = seed}, {30, true, seed}, *policy);
      play.collect();
      results.emplace_back();
      play.batch.for_each([&](const std::string&, const at::Tensor& t) { results.back().push_back(t.clone()); });
    }
    for (size_t k = 1; k < results.size(); ++k)
      for (size_t i = 0; i < results[0].size(); ++i) EXPECT_TRUE(results[0][i].equal(results[k][i])) << c.env << ", tensor " << i;
  }
  at::set_num_threads(before);
}

}  // namespace
}  // namespace orbit

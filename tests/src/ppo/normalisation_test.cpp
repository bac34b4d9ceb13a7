// Running statistics of observations and rewards against the same taken over all that was seen at once.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include "src/policy/normalised_policy.h"
#include "src/ppo/reward_norm.h"
#include "src/running_moments.h"
#include "tests/support/fresh_seed.h"
#include "tests/support/toy_task.h"

namespace orbit {
namespace {

TEST(RunningMoments, OfPartsAreThoseOfTheWhole) {
  at::manual_seed(fresh_seed());
  RunningMoments m(3, at::kCPU);
  std::vector<at::Tensor> counted;
  for (const int64_t n : {1, 50, 7, 400}) {
    const at::Tensor x = at::randn({n, 3}) * 5 + 100, counts = at::rand({n}).lt(0.7);
    m.add(x, counts);
    counted.push_back(x.index({counts}).to(at::kDouble));
  }
  m.add(at::full({4, 3}, 1e9), at::zeros({4}, at::kBool));  // nothing of it counts
  const at::Tensor all = at::cat(counted);
  EXPECT_EQ(m.count.item<double>(), double(all.size(0)));
  EXPECT_TRUE(at::allclose(m.mean, all.mean(0)));
  EXPECT_TRUE(at::allclose(m.variance, all.var(0, false)));
}

TEST(NormalisedPolicy, SeesWhatTheStatisticsSay) {
  at::manual_seed(fresh_seed());
  auto inner = std::make_unique<LinearPolicy>(1.0);
  const at::Tensor weight = inner->named_parameters()[1].second;
  const auto policy = normalise_observations(std::move(inner), {{"x", {1}, at::kFloat, ""}}, at::kCPU);
  const at::Tensor x = (at::randn({6, 5, 1}) * 3 + 2).clamp(-9, 9);  // within kNormalisedLimit
  EXPECT_TRUE(policy->needs_statistics());
  EXPECT_TRUE(at::allclose(policy->predict({x[0]}).value, x[0].squeeze(1)));  // as it is, as long as nothing is known
  at::Tensor active = at::ones({6, 5}, at::kBool);
  active[5].fill_(false);
  policy->learn_statistics({x}, active);
  EXPECT_FALSE(policy->needs_statistics());
  const at::Tensor some = x.slice(0, 0, 5);
  const at::Tensor expected = (x[5] - some.mean()) / some.var(at::IntArrayRef{0, 1, 2}, false).sqrt();
  EXPECT_TRUE(at::allclose(policy->predict({x[5]}).value, expected.squeeze(1), 1e-4, 1e-5));
  EXPECT_EQ(policy->predict({at::full({1, 1}, 1e9)}).value.item<double>(), kNormalisedLimit);

  const auto copy = policy->clone();
  policy->learn_statistics({x * 10}, active);  // a copy keeps its own
  EXPECT_TRUE(at::allclose(copy->predict({x[5]}).value, expected.squeeze(1), 1e-4, 1e-5));
  ASSERT_EQ(policy->named_state().size(), 5u);
  EXPECT_EQ(policy->named_state()[2].first, "observation_norm.x.mean");
}

// Entries that do not exist neither count nor become anything but 0.
TEST(NormalisedPolicy, LeavesOutWhatDoesNotExist) {
  at::manual_seed(fresh_seed());
  struct Probe final : Policy {
    mutable at::Tensor seen;
    Prediction predict(at::TensorList o) const override {
      seen = o[0];
      return {};
    }
    std::unique_ptr<Policy> clone() const override { return nullptr; }
  };
  auto inner = std::make_unique<Probe>();
  const Probe& probe = *inner;
  const auto policy = normalise_observations(std::move(inner),
                                             {{"planets", {4, 3}, at::kFloat, "valid"}, {"valid", {4}, at::kBool, ""}}, at::kCPU);
  const at::Tensor valid = at::rand({7, 2, 4}).lt(0.5), x = (at::randn({7, 2, 4, 3}) + 5) * valid.unsqueeze(-1);
  policy->learn_statistics({x, valid}, at::ones({7, 2}, at::kBool));
  policy->predict({x[0], valid[0]});
  const at::Tensor rows = x.index({valid}).to(at::kDouble);  // (M, 3)
  const at::Tensor expected = ((x[0] - rows.mean(0)) / rows.std(0, false)) * valid[0].unsqueeze(-1);
  EXPECT_TRUE(at::allclose(probe.seen.to(at::kDouble), expected, 1e-4, 1e-5));
}

TEST(RewardNorm, DividesByTheDeviationOfDiscountedSums) {
  at::manual_seed(fresh_seed());
  const double gamma = 0.9;
  const int64_t t = 11, r = 4;
  RewardNorm norm(r, gamma, at::kCPU);
  std::vector<double> running(size_t(r), 0.0), sums;
  for (int rollout = 0; rollout < 3; ++rollout) {
    RolloutBatch b;
    b.reward = at::randn({t, r});
    b.terminated = at::rand({t, r}).lt(0.2);
    b.truncated = at::rand({t, r}).lt(0.2);
    b.active = at::ones({t, r}, at::kBool);
    const at::Tensor limit = b.terminated[t - 1].logical_or(b.truncated[t - 1]);  // what ended at the last step on its own
    b.truncated[t - 1].fill_(true);                                              // the rollout cuts all others
    norm.add(b, limit.logical_not());
    for (int64_t k = 0; k < t; ++k)
      for (int64_t row = 0; row < r; ++row) {
        double& g = running[size_t(row)];
        g = g * gamma + b.reward[k][row].item<double>();
        sums.push_back(g);
        const bool ends = k < t - 1 ? b.terminated[k][row].item<bool>() || b.truncated[k][row].item<bool>() : limit[row].item<bool>();
        if (ends) g = 0;
      }
    const at::Tensor all = at::tensor(sums, at::kDouble);
    const at::Tensor expected = (b.reward / all.std(false)).clamp(-kNormalisedLimit, kNormalisedLimit);
    EXPECT_TRUE(at::allclose(norm.normalise(b.reward), expected.to(at::kFloat), 1e-4, 1e-5)) << "rollout " << rollout;
  }
}

}  // namespace
}  // namespace orbit

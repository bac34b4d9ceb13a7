// ppo_gradient_ against autograd of the objective as loss.cpp writes it, for every kind of head and network, with every instruction set.
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include "extensions/mlp/mlp_kernels.h"
#include "extensions/policy_ops.h"
#include "src/ppo/advantage.h"
#include "src/ppo/loss.h"
#include "tests/support/fresh_seed.h"
#include "tests/support/small_policy.h"

namespace orbit {
namespace {

struct Rollout {
  PpoRows rows;
  PpoChoice choice;
  PpoObjective objective;
};

// Rows that an older policy played, in random order; the last minibatch has padding.
Rollout random_rollout(const SmallPolicy& s, std::mt19937_64& random, int64_t rows, int64_t minibatch) {
  at::NoGradGuard no_gradients;
  Rollout r;
  r.rows.observation = s.observe(rows);
  const auto older = s.policy->clone();
  for (const auto& [name, t] : older->named_parameters()) t.add_(at::randn_like(t) * 0.05);
  const Prediction then = older->predict({r.rows.observation});
  const ActionChoice drawn = then.actions->sample({random(), at::arange(rows, at::kLong), at::zeros({}, at::kLong)});
  r.rows.action = drawn.action[0];
  r.rows.log_prob = drawn.log_prob + at::randn({rows}) * 0.2;
  r.rows.value = then.value + at::randn({rows}) * 0.3;
  r.rows.advantage = at::randn({rows}) * 2 + 0.5;
  r.rows.ret = r.rows.value + at::randn({rows});
  const int64_t minibatches = (rows + minibatch - 1) / minibatch;
  r.choice.order = at::cat({at::randperm(rows), at::zeros({minibatches * minibatch - rows}, at::kLong)});
  r.choice.position = at::full({}, minibatches - 1, at::kLong);
  r.choice.count = at::full({}, rows, at::kLong);
  r.choice.minibatch_size = minibatch;
  r.choice.normalise_advantage = random() % 2;
  r.objective.clip_eps = at::full({}, 0.15f);
  r.objective.entropy_coef = at::full({}, 0.03f);
  r.objective.value_coef = 0.7;
  if (random() % 2) r.objective.value_clip_eps = 0.25;
  return r;
}

Minibatch minibatch_of(const Rollout& r) {
  const int64_t size = r.choice.minibatch_size, first = r.choice.position.item<int64_t>() * size, count = r.choice.count.item<int64_t>();
  const at::Tensor index = r.choice.order.narrow(0, first, size), real = (at::arange(size, at::kLong) + first).lt(count);
  const auto take = [&](const at::Tensor& t) { return t.index_select(0, index); };
  Minibatch b{{take(r.rows.observation)}, {take(r.rows.action)}, take(r.rows.log_prob), take(r.rows.value), take(r.rows.advantage),
              take(r.rows.ret), real.to(at::kFloat) / real.sum()};
  if (r.choice.normalise_advantage) b.advantage = normalise_advantages(b.advantage, real);
  return b;
}

// The fused gradients in the order of the policy's parameters, and the terms.
std::pair<std::vector<at::Tensor>, at::Tensor> fused(const SmallPolicy& s, const Rollout& r) {
  at::NoGradGuard no_gradients;
  const MlpTensors& network = *s.policy->small_network();
  std::vector<at::Tensor> all, gradients;
  for (const at::Tensor& w : network.weights) gradients.push_back(at::full_like(w.detach(), NAN));
  all = gradients;
  if (network.log_std) {
    gradients.push_back(at::full_like(network.log_std->detach(), NAN));
    all.insert(all.begin(), gradients.back());  // the module's own parameter comes first
  }
  const at::Tensor terms = at::zeros({kLossTerms});
  ops::ppo_gradient_(network, r.rows, r.choice, r.objective, gradients, terms);
  return {all, terms};
}

void expect_parity(const SmallPolicy& s, const Rollout& r) {
  LossOptions options;
  options.value_coef = r.objective.value_coef;
  options.value_clip_eps = r.objective.value_clip_eps;
  const LossTerms loss = ppo_loss(*s.policy, nullptr, minibatch_of(r), options, {r.objective.clip_eps, r.objective.entropy_coef, at::zeros({})});
  loss.total.backward();
  const auto [gradients, terms] = fused(s, r);
  const at::Tensor expected[] = {loss.total, loss.policy_loss, loss.value_loss, loss.entropy, loss.kl, loss.approx_kl, loss.clip_fraction};
  for (int k = 0; k < kLossTerms; ++k)
    EXPECT_NEAR(terms[k].item<double>(), expected[k].item<double>(), 1e-5 * std::max(1.0, std::abs(expected[k].item<double>()))) << "term " << k;
  // Against the largest entry of all: a gradient that cancels is as good as the numbers it is made of.
  double largest = 0;
  for (const auto& [name, p] : s.policy->named_parameters()) largest = std::max(largest, p.grad().abs().max().item<double>());
  for (size_t i = 0; i < gradients.size(); ++i) {
    const auto& [name, p] = s.policy->named_parameters()[i];
    EXPECT_LT((gradients[i] - p.grad()).abs().max().item<double>(), 1e-5 * std::max(1.0, largest)) << name;
    p.mutable_grad().reset();
  }
}

TEST(FusedGradient, EqualsAutograd) {
  std::mt19937_64 random(fresh_seed());
  at::manual_seed(int64_t(random() >> 1));
  for (const MlpKernels* kernels : runnable_mlp_kernels()) {
    use_mlp_kernels(*kernels);
    for (int k = 0; k < 60; ++k) {
      const SmallPolicy s = random_small_policy(random, k % 4);
      const int64_t minibatch = 1 + int64_t(random() % 400), rows = minibatch + int64_t(random() % 300);
      SCOPED_TRACE(std::string(kernels->name) + ": " + s.text + ", minibatch " + std::to_string(minibatch) + " of " + std::to_string(rows));
      expect_parity(s, random_rollout(s, random, rows, minibatch));
    }
  }
}

TEST(FusedGradient, ThreadsChangeNoBit) {
  std::mt19937_64 random(fresh_seed());
  at::manual_seed(int64_t(random() >> 1));
  SmallPolicy s;
  s.observation_size = 9;
  s.space = ActionSpace::continuous({-1, -1}, {1, 1});
  s.policy = make_mlp_policy({}, s.space, 9, random(), at::kCPU);
  const Rollout r = random_rollout(s, random, 3000, 3000);  // work enough for several threads
  const int before = at::get_num_threads();
  std::vector<std::vector<at::Tensor>> results;
  for (const int threads : {1, 2, 5}) {
    at::set_num_threads(threads);
    const auto [gradients, terms] = fused(s, r);
    results.push_back(gradients);
    results.back().push_back(terms);
  }
  at::set_num_threads(before);
  for (const auto& other : results)
    for (size_t i = 0; i < other.size(); ++i) EXPECT_TRUE(other[i].equal(results[0][i])) << i;
}

TEST(FusedGradient, NumbersThatAreNoneAreSeen) {
  std::mt19937_64 random(fresh_seed());
  for (int head = 0; head < 4; ++head)
    for (int place = 0; place < 3; ++place) {
      const SmallPolicy s = random_small_policy(random, head);
      Rollout r = random_rollout(s, random, 50, 50);
      at::NoGradGuard no_gradients;
      if (place == 0) r.rows.observation[7][0] = NAN;
      if (place == 1) r.rows.ret[7] = NAN;
      if (place == 2) s.policy->small_network()->weights[0].fill_(NAN);
      EXPECT_TRUE(std::isnan(fused(s, r).second[0].item<double>())) << s.text << ", place " << place;
    }
}

TEST(FusedGradient, RowsThatAreNoneAreRefused) {
  std::mt19937_64 random(fresh_seed());
  const SmallPolicy s = random_small_policy(random, 0);
  Rollout r = random_rollout(s, random, 50, 20);
  r.choice.order[45] = 50;
  EXPECT_THROW(fused(s, r), c10::Error);
  r.choice.order[45] = 0;
  r.choice.position.fill_(3);
  EXPECT_THROW(fused(s, r), c10::Error);
}

}  // namespace
}  // namespace orbit

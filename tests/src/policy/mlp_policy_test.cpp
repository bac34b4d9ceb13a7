// The MLP policy: names as a PyTorch module has them, its distributions against formulas written out number by number, draws
// against their frequencies, and nothing in it that a captured region could not hold.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>
#include <cmath>
#include <random>
#include "src/common/error.h"
#include "src/policy/mlp_actions.h"
#include "src/policy/mlp_policy.h"
#include "tests/support/fresh_seed.h"
#include "tests/support/operator_record.h"

namespace orbit {
namespace {

using Names = std::vector<std::string>;
Names names_of(const Policy& policy) {
  Names names;
  for (const auto& [name, t] : policy.named_parameters()) names.push_back(name);
  return names;
}

SampleKey key_of(int64_t states, uint64_t seed) { return {seed, at::arange(states, at::kLong), at::full({}, 3, at::kLong)}; }

ActionSpace three_numbers() { return ActionSpace::continuous({-2, -1, 0}, {2, 3, 0.5}); }

TEST(MlpPolicy, NamesAndShapes) {
  MlpPolicyConfig config;
  config.hidden = {8, 6};
  EXPECT_EQ(names_of(*make_mlp_policy(config, ActionSpace::categorical(3), 4, 1, at::kCPU)),
            (Names{"actor.0.weight", "actor.0.bias", "actor.2.weight", "actor.2.bias", "actor.4.weight", "actor.4.bias", "critic.0.weight",
                   "critic.0.bias", "critic.2.weight", "critic.2.bias", "critic.4.weight", "critic.4.bias"}));
  config.shared = true;
  const auto policy = make_mlp_policy(config, three_numbers(), 4, 1, at::kCPU);
  EXPECT_EQ(names_of(*policy), (Names{"log_std", "trunk.0.weight", "trunk.0.bias", "trunk.2.weight", "trunk.2.bias", "actor.weight",
                                      "actor.bias", "critic.weight", "critic.bias"}));
  EXPECT_EQ(policy->parameter_count(), 3 + 4 * 8 + 8 + 8 * 6 + 6 + 6 * 3 + 3 + 6 + 1);
}

TEST(MlpPolicy, SameSeedSameWeightsAndAClonesOwn) {
  const uint64_t seed = fresh_seed();
  for (const bool orthogonal : {true, false}) {
    MlpPolicyConfig config;
    config.orthogonal = orthogonal;
    const auto a = make_mlp_policy(config, ActionSpace::categorical(3), 5, seed, at::kCPU),
               b = make_mlp_policy(config, ActionSpace::categorical(3), 5, seed, at::kCPU), copy = a->clone();
    at::NoGradGuard no_gradients;
    for (size_t i = 0; i < a->named_parameters().size(); ++i) {
      EXPECT_TRUE(a->named_parameters()[i].second.equal(b->named_parameters()[i].second));
      copy->named_parameters()[i].second.add_(1);
      EXPECT_TRUE(a->named_parameters()[i].second.equal(b->named_parameters()[i].second));
    }
  }
}

TEST(MlpPolicy, WeightsDoNotDependOnThreads) {
  const uint64_t seed = fresh_seed();
  const int before = at::get_num_threads();
  std::vector<std::unique_ptr<Policy>> policies;
  for (const int threads : {1, 2, 4}) {
    at::set_num_threads(threads);
    policies.push_back(make_mlp_policy({}, ActionSpace::categorical(2), 4, seed, at::kCPU));
  }
  at::set_num_threads(before);
  for (size_t i = 0; i < policies[0]->named_parameters().size(); ++i)
    for (const auto& other : policies)
      EXPECT_TRUE(policies[0]->named_parameters()[i].second.equal(other->named_parameters()[i].second)) << policies[0]->named_parameters()[i].first;
}

TEST(MlpPolicy, OrthogonalGains) {
  const auto policy = make_mlp_policy({}, ActionSpace::categorical(3), 5, fresh_seed(), at::kCPU);
  at::NoGradGuard no_gradients;
  for (const auto& [name, t] : policy->named_parameters()) {
    if (t.dim() == 1) {
      EXPECT_EQ(t.abs().max().item<double>(), 0) << name;
      continue;
    }
    const double gain = name == "actor.4.weight" ? 0.01 : name == "critic.4.weight" ? 1.0 : std::sqrt(2.0);
    const at::Tensor w = t.to(at::kDouble), gram = w.size(0) <= w.size(1) ? w.matmul(w.t()) : w.t().matmul(w);
    EXPECT_LT((gram - at::eye(gram.size(0), at::kDouble) * gain * gain).abs().max().item<double>(), 1e-5) << name;
  }
}

TEST(MlpPolicy, TheNetworkWrittenOut) {
  at::manual_seed(int64_t(fresh_seed()));
  for (const bool shared : {true, false})
    for (const Activation activation : {Activation::kTanh, Activation::kRelu}) {
      MlpPolicyConfig config;
      config.hidden = {7, 5};
      config.shared = shared;
      config.activation = activation;
      config.orthogonal = false;
      const auto policy = make_mlp_policy(config, ActionSpace::continuous({-1, -1}, {1, 1}), 3, 9, at::kCPU);
      std::map<std::string, at::Tensor> w;
      for (const auto& [name, t] : policy->named_parameters()) w[name] = t.detach().to(at::kDouble);
      const at::Tensor x = at::randn({11, 3});
      const auto layer = [&](const std::string& name, const at::Tensor& in) { return in.matmul(w.at(name + ".weight").t()) + w.at(name + ".bias"); };
      const auto act = [&](const at::Tensor& t) { return activation == Activation::kTanh ? t.tanh() : t.clamp_min(0); };
      const auto hidden = [&](const std::string& name) { return act(layer(name + ".2", act(layer(name + ".0", x.to(at::kDouble))))); };
      const at::Tensor value = shared ? layer("critic", hidden("trunk")) : layer("critic.4", hidden("critic"));
      const at::Tensor mean = shared ? layer("actor", hidden("trunk")) : layer("actor.4", hidden("actor"));
      const Prediction p = policy->predict({x});
      EXPECT_LT((p.value - value.squeeze(1)).abs().max().item<double>(), 1e-5);
      EXPECT_LT((p.actions->greedy().action[0] - mean).abs().max().item<double>(), 1e-5);
    }
}

double log_sum_exp(const std::vector<double>& v) {
  double top = v[0], sum = 0;
  for (const double x : v) top = std::max(top, x);
  for (const double x : v) sum += std::exp(x - top);
  return top + std::log(sum);
}

TEST(MlpActions, ChoicesNumberByNumber) {
  at::manual_seed(int64_t(fresh_seed()));
  const ActionSpace space = ActionSpace::multi_discrete({3, 1, 4});
  const int64_t states = 40;
  const at::Tensor outputs = at::randn({states, space.outputs()}, at::kDouble) * 3, other = at::randn_like(outputs) * 3;
  const auto d = make_choices(outputs, space), ref = make_choices(other, space);
  const ActionChoice drawn = d->sample(key_of(states, 5));
  ASSERT_EQ(drawn.action[0].scalar_type(), at::kLong);
  const ActionScore score = d->score(drawn.action);
  const at::Tensor kl = d->divergence(*ref), greedy = d->greedy().action[0];
  for (int64_t b = 0; b < states; ++b) {
    double log_prob = 0, entropy = 0, divergence = 0;
    for (int64_t a = 0, first = 0; a < 3; first += space.choices[size_t(a++)]) {
      const int64_t n = space.choices[size_t(a)], chosen = drawn.action[0][b][a].item<int64_t>();
      ASSERT_TRUE(chosen >= 0 && chosen < n);
      std::vector<double> l, r;
      for (int64_t i = 0; i < n; ++i) l.push_back(outputs[b][first + i].item<double>()), r.push_back(other[b][first + i].item<double>());
      for (int64_t i = 0; i < n; ++i) {
        const double log_p = l[size_t(i)] - log_sum_exp(l), log_q = r[size_t(i)] - log_sum_exp(r);
        if (i == chosen) log_prob += log_p;
        entropy -= std::exp(log_p) * log_p;
        divergence += std::exp(log_p) * (log_p - log_q);
        EXPECT_LE(l[size_t(i)], l[size_t(greedy[b][a].item<int64_t>())]);
      }
    }
    EXPECT_NEAR(score.log_prob[b].item<double>(), log_prob, 1e-10);
    EXPECT_NEAR(drawn.log_prob[b].item<double>(), log_prob, 1e-5);  // it is float32
    EXPECT_NEAR(score.entropy[b].item<double>(), entropy, 1e-10);
    EXPECT_NEAR(kl[b].item<double>(), divergence, 1e-10);
  }
}

TEST(MlpActions, ChoicesAreDrawnAsOftenAsTheyAreLikely) {
  const int64_t states = 200000;
  const ActionSpace space = ActionSpace::multi_discrete({3, 2});
  const at::Tensor one = at::tensor({0.3f, -1.0f, 1.2f, 2.0f, 0.0f}), outputs = one.expand({states, 5});
  const at::Tensor action = make_choices(outputs, space)->sample(key_of(states, fresh_seed())).action[0];
  for (int64_t a = 0, first = 0; a < 2; first += space.choices[size_t(a++)]) {
    const at::Tensor p = one.narrow(0, first, space.choices[size_t(a)]).softmax(0);
    for (int64_t i = 0; i < p.numel(); ++i) {
      const double expected = p[i].item<double>(), found = action.select(1, a).eq(i).to(at::kDouble).mean().item<double>();
      EXPECT_NEAR(found, expected, 6 * std::sqrt(expected * (1 - expected) / double(states)));
    }
  }
}

TEST(MlpActions, GaussianNumberByNumber) {
  at::manual_seed(int64_t(fresh_seed()));
  const int64_t states = 30, numbers = 2;
  const at::Tensor mean = at::randn({states, numbers}, at::kDouble), log_std = at::randn({numbers}, at::kDouble) * 0.5;
  const at::Tensor mean_ref = at::randn_like(mean), log_std_ref = at::randn_like(log_std) * 0.5;
  const auto d = make_gaussian(mean, log_std), ref = make_gaussian(mean_ref, log_std_ref);
  const ActionChoice drawn = d->sample(key_of(states, 5));
  ASSERT_EQ(drawn.action[0].scalar_type(), at::kFloat);
  const ActionScore score = d->score(drawn.action);
  const at::Tensor kl = d->divergence(*ref);
  for (int64_t b = 0; b < states; ++b) {
    double log_prob = 0, entropy = 0, divergence = 0;
    for (int64_t a = 0; a < numbers; ++a) {
      const double m = mean[b][a].item<double>(), s = std::exp(log_std[a].item<double>()), x = drawn.action[0][b][a].item<double>();
      const double m2 = mean_ref[b][a].item<double>(), s2 = std::exp(log_std_ref[a].item<double>());
      log_prob += -(x - m) * (x - m) / (2 * s * s) - std::log(s * std::sqrt(2 * M_PI));
      entropy += 0.5 * std::log(2 * M_PI * std::exp(1.0) * s * s);
      divergence += std::log(s2 / s) + (s * s + (m - m2) * (m - m2)) / (2 * s2 * s2) - 0.5;
    }
    EXPECT_NEAR(score.log_prob[b].item<double>(), log_prob, 1e-10);
    EXPECT_NEAR(drawn.log_prob[b].item<double>(), log_prob, 1e-5);
    EXPECT_NEAR(score.entropy[b].item<double>(), entropy, 1e-10);
    EXPECT_NEAR(kl[b].item<double>(), divergence, 1e-10);
  }
}

// A density over the bounds integrates to 1, and its mean log is the entropy, wherever the Gaussian lies.
TEST(MlpActions, SquashedGaussianIsADensityOverTheBounds) {
  for (const double m : {0.0, -0.8, 1.5}) {
    const double low = -1, range = 4;
    const int64_t n = 100000;
    const at::Tensor mean = at::full({1, 1}, m, at::kDouble), log_std = at::full({1}, -0.3, at::kDouble);
    const at::Tensor lows = at::full({1}, low, at::kDouble), ranges = at::full({1}, range, at::kDouble);
    const at::Tensor grid = (at::arange(n, at::kDouble) + 0.5) / double(n) * range + low;
    const auto wide = make_squashed_gaussian(mean.expand({n, 1}), log_std, lows, ranges);
    const at::Tensor log_p = wide->score({grid.unsqueeze(1)}).log_prob, p = log_p.exp() * (range / double(n));
    EXPECT_NEAR(p.sum().item<double>(), 1.0, 1e-4);
    const ActionChoice drawn = wide->sample(key_of(n, fresh_seed()));
    const at::Tensor a = drawn.action[0].to(at::kDouble);
    EXPECT_GE(a.min().item<double>(), low);
    EXPECT_LE(a.max().item<double>(), low + range);
    const double mean_action = (p * grid).sum().item<double>(), entropy = -(p * log_p).sum().item<double>();
    EXPECT_NEAR(a.mean().item<double>(), mean_action, 6 * range / std::sqrt(double(n)));
    const ActionScore score = wide->score(drawn.action);
    EXPECT_NEAR(score.entropy.mean().item<double>(), entropy, 0.03);
    EXPECT_LT((score.log_prob - drawn.log_prob).abs().max().item<double>(), 1e-4);
  }
}

// The entropy's gradient is that of the true entropy, here by finite differences of the integral.
TEST(MlpActions, SquashedEntropyPullsTheRightWay) {
  const int64_t n = 400000;
  const at::Tensor low = at::full({1}, -1.0, at::kDouble), range = at::full({1}, 2.0, at::kDouble);
  const at::Tensor grid = (at::arange(n, at::kDouble) + 0.5) / double(n) * 2.0 - 1.0;
  const auto exact = [&](double m, double s) {
    const auto d = make_squashed_gaussian(at::full({n, 1}, m, at::kDouble), at::full({1}, s, at::kDouble), low, range);
    const at::Tensor log_p = d->score({grid.unsqueeze(1)}).log_prob;
    return -(log_p.exp() * log_p).sum().item<double>() * 2.0 / double(n);
  };
  const double m = 0.7, s = -0.2, h = 1e-3;
  at::Tensor mean = at::full({1, 1}, m, at::kDouble).requires_grad_(true), log_std = at::full({1}, s, at::kDouble).requires_grad_(true);
  const auto d = make_squashed_gaussian(mean.expand({n, 1}), log_std, low, range);
  d->score(d->sample(key_of(n, fresh_seed())).action).entropy.mean().backward();
  EXPECT_NEAR(mean.grad().item<double>(), (exact(m + h, s) - exact(m - h, s)) / (2 * h), 0.02);
  EXPECT_NEAR(log_std.grad().item<double>(), (exact(m, s + h) - exact(m, s - h)) / (2 * h), 0.02);
}

TEST(MlpPolicy, CanBeCaptured) {
  for (const auto& [space, squash] : {std::pair{ActionSpace::categorical(3), false}, std::pair{ActionSpace::multi_discrete({2, 5}), false},
                                      std::pair{three_numbers(), false}, std::pair{three_numbers(), true}}) {
    MlpPolicyConfig config;
    config.hidden = {8};
    config.squash = squash;
    const auto policy = make_mlp_policy(config, space, 3, 1, at::kCPU), reference = policy->clone();
    const at::Tensor x = at::randn({6, 3});
    const SampleKey key = key_of(6, 1);
    const ActionChoice earlier = policy->predict({x}).actions->sample(key);
    const auto obstacles = capture_obstacles([&] {
      const Prediction p = policy->predict({x});
      (void)p.actions->sample(key);
      (void)p.actions->greedy();
      const ActionScore score = p.actions->score(earlier.action);
      const at::Tensor kl = p.actions->divergence(*reference->predict({x}).actions);
      (score.log_prob + score.entropy + kl + p.value).sum().backward();
    });
    EXPECT_TRUE(obstacles.empty()) << obstacles[0];
  }
}

TEST(MlpPolicy, SaysWhatDoesNotFit) {
  const auto fails = [](const MlpPolicyConfig& config, const ActionSpace& space, const std::string& part) {
    try {
      make_mlp_policy(config, space, 3, 1, at::kCPU);
      ADD_FAILURE() << "no error about " << part;
    } catch (const UserError& e) {
      EXPECT_NE(std::string(e.what()).find(part), std::string::npos) << e.what();
    }
  };
  MlpPolicyConfig config;
  config.hidden = {};
  fails(config, ActionSpace::categorical(2), "hidden_sizes");
  config.hidden = {8, 0};
  fails(config, ActionSpace::categorical(2), "width");
  config = {};
  config.squash = true;
  fails(config, ActionSpace::categorical(2), "squash");
  fails(config, ActionSpace::continuous({0}, {INFINITY}), "finite");
  fails(config, ActionSpace::continuous({1}, {1}), "low below high");
}

}  // namespace
}  // namespace orbit

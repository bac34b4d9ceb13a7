// Policies of small networks with random sizes and heads, for tests that hold fused operators against autograd.
#pragma once
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include <random>
#include <string>
#include "src/policy/mlp_policy.h"
#include "src/policy/normalised_policy.h"

namespace orbit {

struct SmallPolicy {
  std::unique_ptr<Policy> policy;
  ActionSpace space;
  int64_t observation_size = 0;
  std::string text;  // what it is, for messages

  at::Tensor observe(int64_t rows) const { return at::randn({rows, observation_size}) * 1.5 + 0.3; }
};

inline constexpr const char* kHeads[] = {"categorical", "multi-discrete", "gaussian", "squashed"};

inline SmallPolicy random_small_policy(std::mt19937_64& random, int head) {
  const auto between = [&](int64_t low, int64_t high) { return low + int64_t(random() % uint64_t(high - low + 1)); };
  SmallPolicy s;
  s.observation_size = between(1, 20);
  if (head == 0) s.space = ActionSpace::categorical(between(1, 7));
  if (head == 1)
    for (int64_t a = between(2, 4); a > 0; --a) s.space.choices.push_back(between(1, 9));
  if (head >= 2)
    for (int64_t a = between(1, 5); a > 0; --a) {
      s.space.low.push_back(-float(between(1, 3)));
      s.space.high.push_back(float(between(1, 4)));
    }
  MlpPolicyConfig c;
  c.hidden.clear();
  for (int64_t l = between(1, 3); l > 0; --l) c.hidden.push_back(between(1, 70));
  c.shared = between(0, 1);
  c.activation = between(0, 1) ? Activation::kTanh : Activation::kRelu;
  c.orthogonal = false;
  c.squash = head == 3;
  c.log_std_init = -0.4;
  s.policy = make_mlp_policy(c, s.space, s.observation_size, random(), at::kCPU);
  const bool normalised = between(0, 1);
  if (normalised) {
    s.policy = normalise_observations(std::move(s.policy), {{"observation", {s.observation_size}, at::kFloat, ""}}, at::kCPU);
    s.policy->learn_statistics({at::randn({8, 40, s.observation_size}) * 0.7 + 1.0}, at::ones({8, 40}, at::kBool));
  }
  {
    at::NoGradGuard no_gradients;
    for (const auto& [name, t] : s.policy->named_parameters())
      if (name.find("actor") != std::string::npos) t.mul_(2);  // outputs that differ from state to state
  }
  s.text = std::string(kHeads[head]) + (c.shared ? ", shared" : ", separate") + (c.activation == Activation::kTanh ? ", tanh" : ", relu") +
           (normalised ? ", normalised" : "") + ", observation " + std::to_string(s.observation_size) + ", hidden";
  for (const int64_t h : c.hidden) s.text += " " + std::to_string(h);
  return s;
}

}  // namespace orbit

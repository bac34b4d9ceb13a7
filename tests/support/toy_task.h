// A task whose values are known in closed form, and a policy of two linear maps for it. A point decays, x' = decay x, and pays x
// at every step, so V(x) = x / (1 - gamma decay). Episodes know no end: they are cut after `limit` steps, and begin anew at x = 1.
#pragma once
#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>
#include "envs/common/rng.h"
#include "extensions/ops.h"
#include "src/policy/actor_critic.h"
#include "src/task.h"

namespace orbit {

class DecayTask final : public Task {
 public:
  double decay = 0.9;
  int64_t limit = 5;
  bool ends_as_well = false;  // rows of odd number terminate with the step that cuts them

  explicit DecayTask(int64_t rows)
      : x_(at::ones({rows, 1})), age_(at::arange(rows, at::kLong).remainder(limit)), turn_(at::zeros({}, at::kLong)) {}

  int64_t rows() const override { return x_.size(0); }
  at::Device device() const override { return at::kCPU; }
  std::vector<TensorSpec> observation() const override { return {{"x", {1}, at::kFloat, ""}}; }
  std::vector<TensorSpec> action() const override { return {{"choice", {}, at::kInt, ""}}; }
  int64_t truncations_within(int64_t steps) const override { return steps / limit + 1; }
  bool continues() const override { return true; }

  void begin_rollout() override {}
  void observe(at::TensorList out) override { out[0].copy_(x_); }
  void active(const at::Tensor& out) override { out.fill_(true); }
  void step(at::TensorList, const StepOutcome& out, at::TensorList final_observation) override {
    out.reward.copy_(x_.select(1, 0));
    x_.mul_(decay);
    age_.add_(1);
    const at::Tensor cut = age_.ge(limit);
    out.truncated.copy_(cut);
    const at::Tensor odd = at::arange(rows(), at::kLong).remainder(2).eq(1);
    out.terminated.copy_(ends_as_well ? cut.logical_and(odd) : at::zeros_like(cut));
    out.outcome.zero_();
    final_observation[0].copy_(x_);
    x_.copy_(at::where(cut.unsqueeze(1), 1.0, x_));
    age_.copy_(at::where(cut, 0, age_));
    turn_.add_(1);
  }
  const at::Tensor& turn() const override { return turn_; }

 private:
  at::Tensor x_, age_, turn_;
};

class TwoChoices final : public ActionDistribution {
 public:
  explicit TwoChoices(at::Tensor logits) : log_p_(logits.log_softmax(-1)) {}
  ActionChoice sample(const SampleKey& key) const override {
    const at::Tensor u = at::empty({log_p_.size(0), 1}, at::kDouble), unused = at::empty_like(u);
    ops::action_draws_(key.seed, int64_t(Stream::kPolicy), key.agent, key.step, u, unused);
    return choose(u.squeeze(1).ge(log_p_.detach().select(1, 0).exp()).to(at::kInt));
  }
  ActionChoice greedy() const override { return choose(log_p_.argmax(-1).to(at::kInt)); }
  ActionScore score(at::TensorList action) const override {
    return {log_p_.gather(1, action[0].to(at::kLong).unsqueeze(1)).squeeze(1), -(log_p_.exp() * log_p_).sum(-1)};
  }
  at::Tensor divergence(const ActionDistribution& reference) const override {
    return (log_p_.exp() * (log_p_ - dynamic_cast<const TwoChoices&>(reference).log_p_)).sum(-1);
  }

 private:
  ActionChoice choose(const at::Tensor& choice) const {
    return {{choice}, log_p_.detach().gather(1, choice.to(at::kLong).unsqueeze(1)).squeeze(1)};
  }
  at::Tensor log_p_;
};

class LinearPolicy final : public Policy {
 public:
  explicit LinearPolicy(double value_weight = 0.0) {
    parameters_ = {{"actor.weight", at::randn({2, 1}).requires_grad_(true)},
                   {"critic.weight", at::full({1, 1}, value_weight).requires_grad_(true)}};
  }
  Prediction predict(at::TensorList observation) const override {
    return {std::make_unique<TwoChoices>(at::linear(observation[0], parameters_[0].second)),
            at::linear(observation[0], parameters_[1].second).squeeze(1)};
  }
  std::unique_ptr<Policy> clone() const override {
    auto copy = std::make_unique<LinearPolicy>();
    at::NoGradGuard no_gradients;
    for (size_t i = 0; i < 2; ++i) copy->parameters_[i].second.copy_(parameters_[i].second);
    return copy;
  }
};

}  // namespace orbit

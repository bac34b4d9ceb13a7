#include "src/policy/mlp_actions.h"
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>
#include <cmath>
#include "envs/common/rng.h"
#include "extensions/ops.h"

namespace orbit {
namespace {

using at::Tensor;

const double kHalfLog2Pi = 0.5 * std::log(2.0 * M_PI);

struct Draws {
  Tensor uniform, normal;  // (B, A) float64
};
Draws draw(const SampleKey& key, int64_t numbers) {
  const Tensor uniform = at::empty({key.agent.size(0), numbers}, key.agent.options().dtype(at::kDouble)), normal = at::empty_like(uniform);
  ops::action_draws_(key.seed, int64_t(Stream::kPolicy), key.agent, key.step, uniform, normal);
  return {uniform, normal};
}

class Choices final : public ActionDistribution {
 public:
  Choices(const Tensor& outputs, const ActionSpace& space) {
    int64_t first = 0;
    for (const int64_t n : space.choices) {
      logits_.push_back(outputs.narrow(1, first, n));
      first += n;
    }
  }

  // The first choice whose cumulated probability passes u.
  ActionChoice sample(const SampleKey& key) const override {
    at::NoGradGuard no_gradients;
    const Draws draws = draw(key, int64_t(logits_.size()));
    std::vector<Tensor> chosen;
    for (size_t a = 0; a < logits_.size(); ++a) {
      const Tensor p = logits_[a].to(at::kDouble).log_softmax(-1).exp();
      const Tensor passed = p.cumsum(-1).le(draws.uniform.narrow(1, int64_t(a), 1)).sum(-1);
      const Tensor possible = at::where(p.gt(0), at::arange(p.size(1), passed.options()), 0).amax(-1);  // should rounding leave the sum below u
      chosen.push_back(passed.minimum(possible));
    }
    return choose(chosen);
  }

  ActionChoice greedy() const override {
    at::NoGradGuard no_gradients;
    std::vector<Tensor> chosen;
    for (const Tensor& l : logits_) chosen.push_back(l.argmax(-1));
    return choose(chosen);
  }

  ActionScore score(at::TensorList action) const override {
    ActionScore s;
    for (size_t a = 0; a < logits_.size(); ++a) {
      const Tensor log_p = logits_[a].log_softmax(-1);
      add(s.log_prob, log_p.gather(1, action[0].narrow(1, int64_t(a), 1)).squeeze(1));
      add(s.entropy, -(log_p.exp() * log_p).sum(-1));
    }
    return s;
  }

  Tensor divergence(const ActionDistribution& reference) const override {
    const auto& other = dynamic_cast<const Choices&>(reference);
    Tensor sum;
    for (size_t a = 0; a < logits_.size(); ++a) {
      const Tensor log_p = logits_[a].log_softmax(-1);
      add(sum, (log_p.exp() * (log_p - other.logits_[a].log_softmax(-1))).sum(-1));
    }
    return sum;
  }

 private:
  static void add(Tensor& sum, const Tensor& part) { sum = sum.defined() ? sum + part : part; }

  ActionChoice choose(const std::vector<Tensor>& chosen) const {
    const Tensor action = at::stack(chosen, 1);
    Tensor sum;
    for (size_t a = 0; a < logits_.size(); ++a)
      add(sum, logits_[a].to(at::kDouble).log_softmax(-1).gather(1, action.narrow(1, int64_t(a), 1)).squeeze(1));
    return {{action}, sum.to(at::kFloat)};
  }

  std::vector<Tensor> logits_;  // (B, choices) each
};

// From the Gaussian's number u to the action and back; the identity where it is not squashed.
struct Squash {
  Tensor low, range;  // (A) float64; undefined: none

  bool on() const { return low.defined(); }
  Tensor action(const Tensor& u) const { return (on() ? low + range * (u.tanh() + 1.0) * 0.5 : u).to(at::kFloat); }
  Tensor number(const Tensor& action) const {  // float64
    const Tensor a = action.to(at::kDouble);
    return on() ? ((a - low) * 2.0 / range - 1.0).clamp(-kSquashLimit, kSquashLimit).atanh() : a;
  }
  // log |da/du| (B, A), of u's dtype. log(1 - tanh(u)^2) = 2 (log 2 - u - softplus(-2 u)).
  Tensor log_slope(const Tensor& u) const {
    return (range * 0.5).log().to(u.scalar_type()) + 2.0 * (std::log(2.0) - u - at::softplus(-2.0 * u));
  }
};

class Gaussian final : public ActionDistribution {
 public:
  Gaussian(Tensor mean, Tensor log_std, Squash squash) : mean_(std::move(mean)), log_std_(std::move(log_std)), squash_(std::move(squash)) {}

  ActionChoice sample(const SampleKey& key) const override { return choose(draw(key, mean_.size(1)).normal); }
  ActionChoice greedy() const override { return choose(at::zeros_like(mean_, at::kDouble)); }

  ActionScore score(at::TensorList action) const override {
    const Tensor u = squash_.number(action[0]).to(mean_.scalar_type()), sigma = log_std_.exp();
    const Tensor entropy = (log_std_ + (0.5 + kHalfLog2Pi)).expand_as(mean_);
    if (!squash_.on()) return {log_density(u, mean_, log_std_).sum(-1), entropy.sum(-1)};
    const Tensor moved = mean_ + sigma * ((u - mean_) / sigma).detach();  // u, as mean and deviation would move it
    return {(log_density(u, mean_, log_std_) - squash_.log_slope(u)).sum(-1), (entropy + squash_.log_slope(moved)).sum(-1)};
  }

  Tensor divergence(const ActionDistribution& reference) const override {
    const auto& other = dynamic_cast<const Gaussian&>(reference);
    const Tensor variance = (2.0 * log_std_).exp(), variance_ref = (2.0 * other.log_std_).exp();
    return (other.log_std_ - log_std_ - 0.5 + (variance + (mean_ - other.mean_).square()) / (2.0 * variance_ref)).sum(-1);
  }

 private:
  static Tensor log_density(const Tensor& u, const Tensor& mean, const Tensor& log_std) {
    return -0.5 * ((u - mean) / log_std.exp()).square() - (log_std + kHalfLog2Pi);
  }

  // z (B, A) float64: how many deviations from the mean. The log-probability is that of the action as it is stored, in float32.
  ActionChoice choose(const Tensor& z) const {
    at::NoGradGuard no_gradients;
    const Tensor mean = mean_.to(at::kDouble), log_std = log_std_.to(at::kDouble);
    const Tensor action = squash_.action(mean + log_std.exp() * z), u = squash_.number(action);
    Tensor log_prob = log_density(u, mean, log_std);
    if (squash_.on()) log_prob = log_prob - squash_.log_slope(u);
    return {{action}, log_prob.sum(-1).to(at::kFloat)};
  }

  Tensor mean_, log_std_;
  Squash squash_;
};

}  // namespace

std::unique_ptr<ActionDistribution> make_choices(Tensor outputs, const ActionSpace& space) {
  return std::make_unique<Choices>(outputs, space);
}
std::unique_ptr<ActionDistribution> make_gaussian(Tensor mean, Tensor log_std) {
  return std::make_unique<Gaussian>(std::move(mean), std::move(log_std), Squash{});
}
std::unique_ptr<ActionDistribution> make_squashed_gaussian(Tensor mean, Tensor log_std, Tensor low, Tensor range) {
  return std::make_unique<Gaussian>(std::move(mean), std::move(log_std), Squash{std::move(low), std::move(range)});
}

}  // namespace orbit

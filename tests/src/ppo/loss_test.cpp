// Each term of the objective against its formula, written out in float64, with its gradient; schedules against theirs.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include "src/ppo/loss.h"
#include "tests/support/fresh_seed.h"
#include "tests/support/toy_task.h"

namespace orbit {
namespace {

Minibatch random_minibatch(int64_t b) {
  const at::Tensor real = at::arange(b, at::kLong).lt(b - 3).to(at::kFloat);  // the last three are padding
  return {{at::randn({b, 1})}, {at::randint(2, {b}, at::kInt)}, at::randn({b}) * 0.3 - 0.7, at::randn({b}), at::randn({b}), at::randn({b}),
          real / real.sum()};
}

struct Expected {
  at::Tensor total, actor_gradient, critic_gradient;
};

Expected by_formula(const LinearPolicy& policy, const LinearPolicy* reference, const Minibatch& b, const LossOptions& o, double clip,
                    double entropy, double beta) {
  const at::Tensor actor = policy.named_parameters()[0].second.detach().to(at::kDouble).requires_grad_(true);
  const at::Tensor critic = policy.named_parameters()[1].second.detach().to(at::kDouble).requires_grad_(true);
  const at::Tensor x = b.observation[0].to(at::kDouble), log_p = (x.matmul(actor.t())).log_softmax(-1), v = x.matmul(critic.t()).squeeze(1);
  const at::Tensor chosen = log_p.gather(1, b.action[0].to(at::kLong).unsqueeze(1)).squeeze(1), r = (chosen - b.old_log_prob).exp();
  const auto mean = [&](const at::Tensor& t) { return (t * b.weight).sum(); };
  at::Tensor value = (v - b.ret).square();
  if (o.value_clip_eps)
    value = at::max(value, (b.old_value + (v - b.old_value).clamp(-*o.value_clip_eps, *o.value_clip_eps) - b.ret).square());
  at::Tensor total = -mean(at::min(r * b.advantage, r.clamp(1 - clip, 1 + clip) * b.advantage)) + o.value_coef * mean(value) +
                     entropy * mean((log_p.exp() * log_p).sum(-1));
  if (reference) {
    const at::Tensor log_q = x.matmul(reference->named_parameters()[0].second.detach().to(at::kDouble).t()).log_softmax(-1);
    total = total + beta * mean((log_p.exp() * (log_p - log_q)).sum(-1));
  }
  total.backward();
  return {total.detach(), actor.grad(), critic.grad()};
}

void expect_formula(const LossOptions& o, bool with_reference, int64_t step, double clip, double entropy, double beta) {
  const LinearPolicy policy(0.5), reference;
  const Minibatch b = random_minibatch(40);
  const LossTerms t = ppo_loss(policy, with_reference ? &reference : nullptr, b, o, coefficients_at(o, at::full({}, step, at::kFloat)));
  t.total.backward();
  const Expected e = by_formula(policy, with_reference ? &reference : nullptr, b, o, clip, entropy, beta);
  EXPECT_NEAR(t.total.item<double>(), e.total.item<double>(), 1e-5);
  EXPECT_LT((policy.named_parameters()[0].second.grad() - e.actor_gradient).abs().max().item<double>(), 1e-5);
  EXPECT_LT((policy.named_parameters()[1].second.grad() - e.critic_gradient).abs().max().item<double>(), 1e-5);
}

TEST(Loss, EqualsItsFormula) {
  at::manual_seed(fresh_seed());
  expect_formula({{0.2}, {0.01}, {0.0}, 0.5, std::nullopt}, false, 0, 0.2, 0.01, 0);
  expect_formula({{0.1}, {0.0}, {0.7}, 0.3, std::nullopt}, true, 0, 0.1, 0, 0.7);
  expect_formula({{0.2}, {0.01}, {0.0}, 1.0, 0.15}, false, 0, 0.2, 0.01, 0);
}

TEST(Loss, CoefficientsFollowTheirSchedules) {
  at::manual_seed(fresh_seed());
  const LossOptions o{{0.4, 0.1, 10}, {0.5, 0.0, 20, true}, {0.0, 1.0, 4}, 0.5, std::nullopt};
  expect_formula(o, true, 5, 0.25, 0.5 * 0.5 * (1 + std::cos(M_PI * 0.25)), 1.0);
  expect_formula(o, true, 100, 0.1, 0.0, 1.0);
}

TEST(Schedule, StartsEndsAndStays) {
  const auto at_step = [](const Schedule& s, int64_t step) { return float(scheduled(s, double(step))); };
  EXPECT_FLOAT_EQ(at_step({3.0}, 1000), 3.0);
  for (const bool cosine : {false, true}) {
    const Schedule s{2.0, 1.0, 8, cosine};
    EXPECT_FLOAT_EQ(at_step(s, 0), 2.0);
    EXPECT_FLOAT_EQ(at_step(s, 4), 1.5);
    EXPECT_FLOAT_EQ(at_step(s, 8), 1.0);
    EXPECT_FLOAT_EQ(at_step(s, 80), 1.0);
    for (int64_t k = 0; k < 8; ++k) EXPECT_GT(at_step(s, k), at_step(s, k + 1));
  }
  EXPECT_FLOAT_EQ(at_step({2.0, 1.0, 8, false}, 2), 1.75);
  EXPECT_FLOAT_EQ(at_step({2.0, 1.0, 8, true}, 2), 1.0 + 0.5 * (1 + std::cos(M_PI / 4)));
}

}  // namespace
}  // namespace orbit

// The optimizer against torch.optim.AdamW's formulas, its schedule, and the switch that makes a step a no-op.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include "src/ppo/adamw.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

std::vector<NamedTensor> random_parameters() {
  return {{"a", at::randn({5, 3}).requires_grad_(true)}, {"b", at::randn({7}).requires_grad_(true)}};
}
void set_gradients(const std::vector<NamedTensor>& parameters, const std::vector<at::Tensor>& gradients) {
  for (size_t i = 0; i < parameters.size(); ++i) parameters[i].second.grad().copy_(gradients[i]);
}

TEST(AdamW, FollowsTheFormulas) {
  at::manual_seed(fresh_seed());
  const auto parameters = random_parameters();
  AdamWOptions o;
  o.lr = {1e-2, 1e-3, 4}, o.weight_decay = 0.1, o.max_grad_norm = 1.0;
  AdamW optimizer(parameters, o);
  std::vector<at::Tensor> p, m, v;
  for (const auto& [name, t] : parameters) {
    p.push_back(t.detach().to(at::kDouble).clone());
    m.push_back(at::zeros_like(p.back()));
    v.push_back(at::zeros_like(p.back()));
  }
  for (int step = 1; step <= 6; ++step) {
    if (step == 3) optimizer.lr_scale().mul_(0.25);
    std::vector<at::Tensor> g = {at::randn({5, 3}), at::randn({7})};
    set_gradients(parameters, g);
    const double norm = std::sqrt(g[0].square().sum().item<double>() + g[1].square().sum().item<double>());
    EXPECT_NEAR(optimizer.clip_gradients().item<double>(), norm, 1e-4);
    optimizer.step(at::zeros({}));
    const double lr = (step < 3 ? 1.0 : 0.25) * (o.lr.start + (o.lr.end - o.lr.start) * std::min(1.0, (step - 1) / 4.0));
    for (size_t i = 0; i < p.size(); ++i) {
      const at::Tensor clipped = g[i].to(at::kDouble) * std::min(1.0, o.max_grad_norm / (norm + 1e-6));
      p[i].mul_(1 - lr * o.weight_decay);
      m[i].mul_(o.beta1).add_(clipped, 1 - o.beta1);
      v[i].mul_(o.beta2).add_(clipped.square(), 1 - o.beta2);
      p[i].sub_(lr * (m[i] / (1 - std::pow(o.beta1, step))) / ((v[i] / (1 - std::pow(o.beta2, step))).sqrt() + o.eps));
      EXPECT_TRUE(at::allclose(parameters[i].second.detach().to(at::kDouble), p[i], 1e-5, 1e-6)) << "step " << step;
    }
  }
}

TEST(AdamW, ASkippedStepChangesNothing) {
  at::manual_seed(fresh_seed());
  const auto parameters = random_parameters();
  AdamW optimizer(parameters, {});
  set_gradients(parameters, {at::randn({5, 3}), at::randn({7})});
  optimizer.step(at::zeros({}));
  const auto state = [&] {
    std::vector<at::Tensor> all{optimizer.steps_done().clone()};
    for (size_t i = 0; i < parameters.size(); ++i)
      for (const at::Tensor& t : {parameters[i].second.detach(), optimizer.first_moments()[i], optimizer.second_moments()[i]})
        all.push_back(t.clone());
    return all;
  };
  const auto before = state();
  set_gradients(parameters, {at::randn({5, 3}), at::randn({7})});
  optimizer.step(at::ones({}));
  const auto after = state();
  for (size_t i = 0; i < before.size(); ++i) EXPECT_TRUE(at::equal(before[i], after[i])) << "tensor " << i;
  EXPECT_EQ(optimizer.steps_done().item<double>(), 1);
}

}  // namespace
}  // namespace orbit

#include "src/ppo/adamw.h"
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_norm.h>
#include <ATen/ops/_foreach_zero.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

namespace orbit {

AdamW::AdamW(std::vector<NamedTensor> parameters, AdamWOptions options) : options_(options) {
  for (const auto& [name, p] : parameters) {
    parameters_.push_back(p);
    exp_avg_.push_back(at::zeros_like(p.detach()));
    exp_avg_sq_.push_back(at::zeros_like(p.detach()));
    steps_.push_back(at::zeros({}, p.options().dtype(at::kFloat).requires_grad(false)));
  }
  lr_ = at::full({}, options.lr, steps_[0].options());
}

void AdamW::zero_grad() {
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& p : parameters_)
    if (p.grad().defined()) gradients.push_back(p.grad());
  if (!gradients.empty()) at::_foreach_zero_(gradients);
}

void AdamW::update_learning_rate() {
  if (options_.schedule_steps == 0) return;
  const at::Tensor progress = (steps_[0] / double(options_.schedule_steps)).clamp_max(1.0);
  lr_.copy_(progress * (options_.lr_end - options_.lr) + options_.lr);
}

at::Tensor AdamW::step(const at::Tensor& skip) {
  at::NoGradGuard no_gradients;
  std::vector<at::Tensor> gradients;
  for (const at::Tensor& p : parameters_) {
    if (!p.grad().defined()) p.mutable_grad() = at::zeros_like(p);
    gradients.push_back(p.grad());
  }
  const at::Tensor norm = at::stack(at::_foreach_norm(gradients, 2.0)).norm();
  at::_foreach_mul_(gradients, (options_.max_grad_norm / (norm + 1e-6)).clamp_max(1.0));
  update_learning_rate();
  at::_foreach_add_(steps_, at::Tensor(1.0 - skip));
  at::_fused_adamw_(parameters_, gradients, exp_avg_, exp_avg_sq_, {}, steps_, lr_, options_.beta1, options_.beta2,
                    options_.weight_decay, options_.eps, /*amsgrad=*/false, /*maximize=*/false, /*grad_scale=*/{}, /*found_inf=*/skip);
  return norm;
}

void AdamW::set_steps_done(int64_t steps) {
  for (const at::Tensor& s : steps_) s.fill_(steps);
}

}  // namespace orbit

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
#include "extensions/policy_ops.h"

namespace orbit {

AdamW::AdamW(std::vector<NamedTensor> parameters, AdamWOptions options) : options_(options) {
  for (const auto& [name, p] : parameters) {
    parameters_.push_back(p);
    if (!p.grad().defined()) p.mutable_grad() = at::zeros_like(p.detach());
    gradients_.push_back(p.grad());
    exp_avg_.push_back(at::zeros_like(p.detach()));
    exp_avg_sq_.push_back(at::zeros_like(p.detach()));
    steps_.push_back(at::zeros({}, p.options().dtype(at::kFloat).requires_grad(false)));
  }
  lr_ = at::full({}, options.lr.start, steps_[0].options());
  lr_scale_ = at::full({}, 1.0, steps_[0].options());
  norm_ = at::zeros({}, steps_[0].options());
}

void AdamW::zero_grad() { at::_foreach_zero_(gradients_); }

at::Tensor AdamW::clip_gradients() {
  at::NoGradGuard no_gradients;
  if (norm_.is_cpu()) {
    ops::clip_gradients_(gradients_, options_.max_grad_norm, norm_);
    return norm_;
  }
  const at::Tensor norm = at::stack(at::_foreach_norm(gradients_, 2.0)).norm();
  at::_foreach_mul_(gradients_, (options_.max_grad_norm / (norm + 1e-6)).clamp_max(1.0));
  return norm;
}

void AdamW::step(const at::Tensor& skip) {
  at::NoGradGuard no_gradients;
  ops::schedule_(options_.lr, steps_[0], lr_scale_, lr_);
  const AdamWStep s{options_.beta1, options_.beta2, options_.weight_decay, options_.eps};
  if (lr_.is_cpu()) return ops::adamw_(parameters_, gradients_, exp_avg_, exp_avg_sq_, steps_, lr_, skip, s);
  at::_foreach_add_(steps_, at::Tensor(1.0 - skip));
  at::_fused_adamw_(parameters_, gradients_, exp_avg_, exp_avg_sq_, {}, steps_, lr_, s.beta1, s.beta2, s.weight_decay, s.eps,
                    /*amsgrad=*/false, /*maximize=*/false, /*grad_scale=*/{}, /*found_inf=*/skip);
}

std::vector<at::Tensor> AdamW::state() const {
  std::vector<at::Tensor> all = exp_avg_;
  all.insert(all.end(), exp_avg_sq_.begin(), exp_avg_sq_.end());
  all.insert(all.end(), steps_.begin(), steps_.end());
  return all;
}

void AdamW::set_steps_done(int64_t steps) {
  for (const at::Tensor& s : steps_) s.fill_(steps);
}

}  // namespace orbit

#include "src/train_state.h"
#include <ATen/core/grad_mode.h>

namespace orbit {

std::vector<at::Tensor> TrainState::learned() const {
  std::vector<at::Tensor> all = optimizer->state();
  for (const Policy* p : {policy.get(), reference.get()}) {
    if (!p) continue;
    for (const auto& [name, t] : p->named_state()) all.push_back(t);
  }
  if (reward_norm)
    for (const auto& [name, t] : reward_norm->state()) all.push_back(t);
  return all;
}

void TrainState::remember() {
  at::NoGradGuard no_gradients;
  const std::vector<at::Tensor> now = learned();
  if (last_good.empty())
    for (const at::Tensor& t : now) last_good.push_back(t.detach().clone());
  for (size_t i = 0; i < now.size(); ++i) last_good[i].copy_(now[i]);
}

void TrainState::roll_back() {
  at::NoGradGuard no_gradients;
  const std::vector<at::Tensor> now = learned();
  for (size_t i = 0; i < now.size(); ++i) now[i].copy_(last_good[i]);
}

}  // namespace orbit

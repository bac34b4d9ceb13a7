#include "src/policy/actor_critic.h"

namespace orbit {

int64_t Policy::parameter_count() const {
  int64_t count = 0;
  for (const auto& [name, tensor] : parameters_) count += tensor.numel();
  return count;
}

std::vector<NamedTensor> Policy::named_state() const {
  std::vector<NamedTensor> all = parameters_;
  all.insert(all.end(), buffers_.begin(), buffers_.end());
  return all;
}

void Policy::set_requires_grad(bool on) {
  for (auto& [name, tensor] : parameters_) tensor.requires_grad_(on);
}

}  // namespace orbit

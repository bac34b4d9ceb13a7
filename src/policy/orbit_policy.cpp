#include "src/policy/orbit_policy.h"

#include <ATen/core/grad_mode.h>

#include "src/common/error.h"
#include "src/policy/orbit_forward.h"

namespace orbit {
namespace {

class OrbitPolicy final : public Policy {
 public:
  OrbitPolicy(const OrbitPolicyConfig& config, Layout layout) : config_(config), layout_(layout) {
    weights_ = allocate_weights(config_, parameters_);
  }

  PolicyOutput forward(const PolicyInput& input) const override {
    const auto run = layout_ == Layout::kPadded ? forward_padded : forward_packed;
    return run(weights_, config_, training_, input);
  }

  std::unique_ptr<Policy> clone() const override {
    at::NoGradGuard no_grad;
    auto copy = std::make_unique<OrbitPolicy>(config_, layout_);
    copy->move_to(weights_.log_std.device());
    for (size_t i = 0; i < parameters_.size(); ++i) copy->parameters_[i].second.copy_(parameters_[i].second);
    copy->training_ = training_;
    return copy;
  }

  void initialise(uint64_t seed) { initialise_weights(weights_, config_.ship_log_std_init, seed); }

  void move_to(at::Device device) {
    at::NoGradGuard no_grad;
    for (auto& [name, tensor] : parameters_) tensor.set_data(tensor.to(device));
  }

 private:
  OrbitPolicyConfig config_;
  Layout layout_;
  OrbitWeights weights_;
};

}  // namespace

int64_t Policy::parameter_count() const {
  int64_t count = 0;
  for (const auto& [name, tensor] : parameters_) count += tensor.numel();
  return count;
}

void Policy::set_requires_grad(bool on) {
  for (auto& [name, tensor] : parameters_) tensor.requires_grad_(on);
}

std::unique_ptr<Policy> make_orbit_policy(const OrbitPolicyConfig& config, uint64_t seed, Layout layout, at::Device device) {
  if (config.hidden < 1 || config.attn_heads < 1 || config.hidden % config.attn_heads != 0) {
    throw UserError("model.hidden (" + std::to_string(config.hidden) + ") must be a multiple of model.attn_heads (" +
                    std::to_string(config.attn_heads) + ")");
  }
  if (layout == Layout::kPacked && !device.is_cpu()) throw std::invalid_argument("the packed layout runs on the CPU alone");
  auto policy = std::make_unique<OrbitPolicy>(config, layout);
  policy->initialise(seed);
  policy->move_to(device);
  return policy;
}

}  // namespace orbit

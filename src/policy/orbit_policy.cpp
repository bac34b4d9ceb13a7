#include "src/policy/orbit_policy.h"

#include <ATen/core/grad_mode.h>

#include "src/common/error.h"
#include "src/policy/action_dist.h"
#include "src/policy/autocast.h"
#include "src/policy/orbit_forward.h"

namespace orbit {
namespace {

class OrbitDistribution final : public ActionDistribution {
 public:
  explicit OrbitDistribution(PolicyOutput output, Greedy greedy) : output_(std::move(output)), greedy_(greedy) {}

  ActionChoice sample(const SampleKey& key) const override { return as_choice(sample_actions(output_, key)); }
  ActionChoice greedy() const override { return as_choice(greedy_actions(output_, greedy_)); }
  ActionScore score(at::TensorList action) const override { return evaluate_actions(output_, action[0], action[1]); }
  at::Tensor divergence(const ActionDistribution& reference) const override {
    return kl_divergence(output_, dynamic_cast<const OrbitDistribution&>(reference).output_);
  }

 private:
  static ActionChoice as_choice(ActionSample s) { return {{std::move(s.target), std::move(s.x)}, std::move(s.log_prob)}; }

  PolicyOutput output_;
  Greedy greedy_;
};

class OrbitNetwork final : public OrbitPolicy {
 public:
  OrbitNetwork(const OrbitPolicyConfig& config, Layout layout) : OrbitPolicy(config.greedy), config_(config), layout_(layout) {
    weights_ = allocate_weights(config_, parameters_);
  }

  PolicyOutput forward(const PolicyInput& input) const override {
    const auto run = layout_ == Layout::kPadded ? forward_padded : forward_packed;
    if (!config_.bf16) return run(weights_, config_, training_, input);
    const Autocast bf16(weights_.log_std.device().type());
    PolicyOutput output = run(weights_, config_, training_, input);
    for (at::Tensor* t : {&output.logits, &output.ship_mean, &output.value}) *t = t->to(at::kFloat);
    return output;
  }

  std::unique_ptr<Policy> clone() const override {
    at::NoGradGuard no_grad;
    auto copy = std::make_unique<OrbitNetwork>(config_, layout_);
    copy->move_to(weights_.log_std.device());
    for (size_t i = 0; i < parameters_.size(); ++i) copy->parameters_[i].second.copy_(parameters_[i].second);
    copy->training_ = training_;
    return copy;
  }

  void initialise(uint64_t seed) {
    if (config_.orthogonal) initialise_orthogonal(weights_, config_.ship_log_std_init, seed);
    else initialise_weights(weights_, config_.ship_log_std_init, seed);
  }

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

Prediction OrbitPolicy::predict(at::TensorList o) const {
  PolicyOutput output = forward({o[0], o[1], o[2], o[3]});
  at::Tensor value = output.value;
  return {std::make_unique<OrbitDistribution>(std::move(output), greedy_), std::move(value)};
}

std::unique_ptr<OrbitPolicy> make_orbit_policy(const OrbitPolicyConfig& config, uint64_t seed, Layout layout, at::Device device) {
  if (config.hidden < 1 || config.attn_heads < 1 || config.hidden % config.attn_heads != 0) {
    throw UserError("model.hidden (" + std::to_string(config.hidden) + ") must be a multiple of model.attn_heads (" +
                    std::to_string(config.attn_heads) + ")");
  }
  if (layout == Layout::kPacked && !device.is_cpu()) throw std::invalid_argument("the packed layout runs on the CPU alone");
  if (layout == Layout::kPacked && config.bf16) throw std::invalid_argument("the packed layout computes in float32 alone");
  auto policy = std::make_unique<OrbitNetwork>(config, layout);
  policy->initialise(seed);
  policy->move_to(device);
  return policy;
}

}  // namespace orbit

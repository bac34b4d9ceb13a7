#include "src/policy/mlp_policy.h"
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <cmath>
#include <optional>
#include "extensions/mlp/mlp_tensors.h"
#include "src/common/error.h"
#include "src/policy/autocast.h"
#include "src/policy/space_policy.h"

namespace orbit {
namespace {

using Layers = std::vector<LinearWeights>;

class MlpPolicy final : public SpacePolicy {
 public:
  MlpPolicy(MlpPolicyConfig config, ActionSpace space, int64_t observation_size, at::Device device)
      : SpacePolicy(std::move(space), config.squash, device), config_(std::move(config)), observation_size_(observation_size) {
    if (config_.shared) {
      trunk_ = layers("trunk", {});
      actor_ = {linear("actor", config_.hidden.back(), space_.outputs())};
      critic_ = {linear("critic", config_.hidden.back(), 1)};
    } else {
      actor_ = layers("actor", space_.outputs());
      critic_ = layers("critic", 1);
    }
    if (device_.is_cpu() && config_.fused && !config_.bf16 && config_.hidden.size() < kMostLayers) describe();
  }

  Prediction predict(at::TensorList observation) const override {
    const auto [outputs, value] = forward(observation[0]);
    return {distribution(outputs), value};
  }

  const MlpTensors* small_network() const override { return fused_ ? &*fused_ : nullptr; }

  std::unique_ptr<Policy> clone() const override {
    auto copy = std::make_unique<MlpPolicy>(config_, space_, observation_size_, device_);
    copy->copy_from(*this);
    return copy;
  }

  void initialise(uint64_t seed) {
    at::NoGradGuard no_gradients;
    Initialiser from(seed);
    const auto draw_layers = [&](const Layers& all, double last) {
      for (size_t i = 0; i < all.size(); ++i) draw(from, all[i], config_.orthogonal, i + 1 < all.size() ? std::sqrt(2.0) : last);
    };
    draw_layers(trunk_, std::sqrt(2.0));
    draw_layers(actor_, 0.01);
    draw_layers(critic_, 1.0);
    if (log_std_.defined()) log_std_.fill_(config_.log_std_init);
  }

 private:
  // The hidden layers, and one more with so many outputs, as an nn.Sequential with activations in between counts them.
  Layers layers(const std::string& name, std::optional<int64_t> outputs) {
    std::vector<int64_t> widths = config_.hidden;
    if (outputs) widths.push_back(*outputs);
    Layers all;
    int64_t in = observation_size_;
    for (size_t i = 0; i < widths.size(); ++i) {
      all.push_back(linear(name + "." + std::to_string(2 * i), in, widths[i]));
      in = widths[i];
    }
    return all;
  }

  void describe() {
    fused_.emplace();
    for (const Layers* part : {&trunk_, &actor_, &critic_})
      for (const LinearWeights& w : *part)
        for (const at::Tensor& t : {w.weight, w.bias}) fused_->weights.push_back(t);
    fused_->shared = config_.shared;
    fused_->relu = config_.activation == Activation::kRelu;
    fused_->choices = space_.choices;
    if (!space_.discrete()) fused_->log_std = log_std_;
    if (!config_.squash) return;
    fused_->low.assign(space_.low.begin(), space_.low.end());
    fused_->high.assign(space_.high.begin(), space_.high.end());
  }

  // (B, K) float32 and (B) float32.
  std::pair<at::Tensor, at::Tensor> forward(const at::Tensor& observation) const {
    std::optional<Autocast> bf16;
    if (config_.bf16) bf16.emplace(device_.type());
    const at::Tensor x = run(trunk_, observation, true);
    return {run(actor_, x, false).to(at::kFloat), run(critic_, x, false).squeeze(1).to(at::kFloat)};
  }

  // to_the_end: an activation behind the last layer, too.
  at::Tensor run(const Layers& all, at::Tensor x, bool to_the_end) const {
    for (size_t i = 0; i < all.size(); ++i) {
      x = at::linear(x, all[i].weight, all[i].bias);
      if (to_the_end || i + 1 < all.size()) x = activate(config_.activation, x);
    }
    return x;
  }

  MlpPolicyConfig config_;
  int64_t observation_size_;
  Layers trunk_, actor_, critic_;
  std::optional<MlpTensors> fused_;
};

void check_hidden(const MlpPolicyConfig& config) {
  if (config.hidden.empty()) throw UserError("model.hidden_sizes: a network needs at least one hidden layer");
  for (const int64_t width : config.hidden)
    if (width < 1) throw UserError("model.hidden_sizes: " + std::to_string(width) + " is no width of a layer; it must be at least 1");
}

}  // namespace

std::unique_ptr<Policy> make_mlp_policy(const MlpPolicyConfig& config, const ActionSpace& space, int64_t observation_size, uint64_t seed,
                                        at::Device device) {
  check_hidden(config);
  check_space(space, observation_size, config.squash);
  auto policy = std::make_unique<MlpPolicy>(config, space, observation_size, device);
  policy->initialise(seed);
  return policy;
}

}  // namespace orbit

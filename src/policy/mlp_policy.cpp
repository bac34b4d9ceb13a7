#include "src/policy/mlp_policy.h"
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/tensor.h>
#include <cmath>
#include <optional>
#include "extensions/mlp/mlp_tensors.h"
#include "src/common/error.h"
#include "src/policy/autocast.h"
#include "src/policy/initialiser.h"
#include "src/policy/mlp_actions.h"

namespace orbit {
namespace {

using Layers = std::vector<LinearWeights>;

class MlpPolicy final : public Policy {
 public:
  MlpPolicy(MlpPolicyConfig config, ActionSpace space, int64_t observation_size, at::Device device)
      : config_(std::move(config)), space_(std::move(space)), observation_size_(observation_size), device_(device) {
    if (!space_.discrete()) {  // nn.Module lists its own parameters before those of its parts
      log_std_ = parameter("log_std", {space_.size()});
      low_ = at::tensor(std::vector<double>(space_.low.begin(), space_.low.end())).to(device_);
      range_ = at::tensor(std::vector<double>(space_.high.begin(), space_.high.end())).to(device_) - low_;
    }
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
    if (space_.discrete()) return {make_choices(outputs, space_), value};
    if (config_.squash) return {make_squashed_gaussian(outputs, log_std_, low_, range_), value};
    return {make_gaussian(outputs, log_std_), value};
  }

  const MlpTensors* small_network() const override { return fused_ ? &*fused_ : nullptr; }

  std::unique_ptr<Policy> clone() const override {
    at::NoGradGuard no_gradients;
    auto copy = std::make_unique<MlpPolicy>(config_, space_, observation_size_, device_);
    for (size_t i = 0; i < parameters_.size(); ++i) copy->parameters_[i].second.copy_(parameters_[i].second);
    copy->training_ = training_;
    return copy;
  }

  // Drawn on the CPU, so that every device begins with the same weights.
  void initialise(uint64_t seed) {
    at::NoGradGuard no_gradients;
    Initialiser draw(seed);
    const auto draw_layer = [&](const LinearWeights& w, double gain) {
      const LinearWeights host{at::empty(w.weight.sizes(), at::kFloat), at::empty(w.bias.sizes(), at::kFloat)};
      if (config_.orthogonal) draw.orthogonal(host, gain);
      else draw.linear(host);
      w.weight.copy_(host.weight);
      w.bias.copy_(host.bias);
    };
    const auto draw_layers = [&](const Layers& all, double last) {
      for (size_t i = 0; i < all.size(); ++i) draw_layer(all[i], i + 1 < all.size() ? std::sqrt(2.0) : last);
    };
    draw_layers(trunk_, std::sqrt(2.0));
    draw_layers(actor_, 0.01);
    draw_layers(critic_, 1.0);
    if (log_std_.defined()) log_std_.fill_(config_.log_std_init);
  }

 private:
  at::Tensor parameter(const std::string& name, std::vector<int64_t> shape) {
    parameters_.emplace_back(name, at::empty(shape, at::TensorOptions().dtype(at::kFloat).device(device_)).requires_grad_(true));
    return parameters_.back().second;
  }

  LinearWeights linear(const std::string& name, int64_t in, int64_t out) {
    LinearWeights w;
    w.weight = parameter(name + ".weight", {out, in});
    w.bias = parameter(name + ".bias", {out});
    return w;
  }

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
      if (to_the_end || i + 1 < all.size()) x = config_.activation == Activation::kTanh ? at::tanh(x) : at::relu(x);
    }
    return x;
  }

  MlpPolicyConfig config_;
  ActionSpace space_;
  int64_t observation_size_;
  at::Device device_;
  at::Tensor log_std_, low_, range_;  // (A); of continuous actions
  Layers trunk_, actor_, critic_;
  std::optional<MlpTensors> fused_;
};

void check_hidden(const MlpPolicyConfig& config) {
  if (config.hidden.empty()) throw UserError("model.hidden_sizes: a network needs at least one hidden layer");
  for (const int64_t width : config.hidden)
    if (width < 1) throw UserError("model.hidden_sizes: " + std::to_string(width) + " is no width of a layer; it must be at least 1");
}

}  // namespace

void check_space(const ActionSpace& space, int64_t observation_size, bool squash) {
  if (observation_size < 1 || space.size() < 1) throw UserError("a policy needs an observation and an action of at least one number");
  for (const int64_t n : space.choices)
    if (n < 1) throw UserError("an action needs at least one choice, not " + std::to_string(n));
  if (!squash) return;
  if (space.discrete()) throw UserError("model.squash is for continuous actions; these are choices");
  for (size_t a = 0; a < space.low.size(); ++a)
    if (!std::isfinite(space.low[a]) || !std::isfinite(space.high[a]) || !(space.low[a] < space.high[a]))
      throw UserError("model.squash needs finite bounds of every action, low below high; number " + std::to_string(a) + " has " +
                      std::to_string(space.low[a]) + " to " + std::to_string(space.high[a]) + "; leave squash out");
}

std::unique_ptr<Policy> make_mlp_policy(const MlpPolicyConfig& config, const ActionSpace& space, int64_t observation_size, uint64_t seed,
                                        at::Device device) {
  check_hidden(config);
  check_space(space, observation_size, config.squash);
  auto policy = std::make_unique<MlpPolicy>(config, space, observation_size, device);
  policy->initialise(seed);
  return policy;
}

}  // namespace orbit

#include "src/policy/normalised_policy.h"
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/ones.h>
#include <algorithm>
#include <optional>
#include "extensions/mlp/mlp_tensors.h"
#include "src/running_moments.h"

namespace orbit {
namespace {

class NormalisedPolicy final : public Policy {
 public:
  NormalisedPolicy(std::unique_ptr<Policy> inner, std::vector<TensorSpec> observation, at::Device device)
      : inner_(std::move(inner)), observation_(std::move(observation)), device_(device) {
    parameters_ = inner_->named_parameters();
    buffers_ = inner_->named_buffers();
    for (const TensorSpec& s : observation_) {
      if (!is_normalised(s)) {
        moments_.emplace_back();
        continue;
      }
      const RunningMoments& m = *moments_.emplace_back(RunningMoments(s.shape.back(), device));
      const std::string name = "observation_norm." + s.name + ".";
      buffers_.emplace_back(name + "mean", m.mean);
      buffers_.emplace_back(name + "variance", m.variance);
      buffers_.emplace_back(name + "count", m.count);
    }
    if (const MlpTensors* network = inner_->small_network()) {
      fused_ = *network;
      fused_->mean = moments_[0]->mean;
      fused_->variance = moments_[0]->variance;
    }
  }

  Prediction predict(at::TensorList observation) const override { return predict_sequences(observation, 1); }
  Prediction predict_sequences(at::TensorList observation, int64_t length) const override {
    std::vector<at::Tensor> normalised;
    for (size_t i = 0; i < observation.size(); ++i) normalised.push_back(normalise(i, observation));
    return inner_->predict_sequences(normalised, length);
  }

  const MlpTensors* small_network() const override { return fused_ ? &*fused_ : nullptr; }

  std::unique_ptr<Policy> clone() const override {
    at::NoGradGuard no_gradients;
    auto copy = std::make_unique<NormalisedPolicy>(inner_->clone(), observation_, device_);
    for (size_t i = 0; i < buffers_.size(); ++i) copy->buffers_[i].second.copy_(buffers_[i].second);
    return copy;
  }

  void learn_statistics(at::TensorList observation, const at::Tensor& active) override {
    at::NoGradGuard no_gradients;
    for (size_t i = 0; i < moments_.size(); ++i) {
      if (!moments_[i]) continue;
      const at::Tensor x = observation[i].flatten(0, -2);
      at::Tensor counts = at::ones(observation[i].sizes().slice(0, size_t(observation[i].dim() - 1)), active.options());
      if (const std::optional<size_t> mask = exists(i)) counts = observation[*mask];
      std::vector<int64_t> shape(size_t(counts.dim()), 1);
      std::copy(active.sizes().begin(), active.sizes().end(), shape.begin());
      moments_[i]->add(x, counts.logical_and(active.view(shape)).flatten());
    }
  }

  bool needs_statistics() const override { return buffers_.back().second.item<double>() == 0; }

  void train(bool on) override { inner_->train(on); }

 private:
  // Position of the tensor that says which entries of observation i exist.
  std::optional<size_t> exists(size_t i) const {
    for (size_t k = 0; k < observation_.size(); ++k)
      if (!observation_[i].exists.empty() && observation_[k].name == observation_[i].exists) return k;
    return std::nullopt;
  }

  at::Tensor normalise(size_t i, at::TensorList observation) const {
    if (!moments_[i]) return observation[i];
    const RunningMoments& m = *moments_[i];
    const at::Tensor scale = (m.variance + kSmallestVariance).rsqrt().to(at::kFloat);
    const at::Tensor x = ((observation[i] - m.mean.to(at::kFloat)) * scale).clamp(-kNormalisedLimit, kNormalisedLimit);
    const std::optional<size_t> mask = exists(i);
    return mask ? x * observation[*mask].unsqueeze(-1) : x;
  }

  std::unique_ptr<Policy> inner_;
  std::vector<TensorSpec> observation_;
  at::Device device_;
  std::vector<std::optional<RunningMoments>> moments_;  // of the tensors that are normalised
  std::optional<MlpTensors> fused_;                     // of a small network, which observes one tensor
};

}  // namespace

std::unique_ptr<Policy> normalise_observations(std::unique_ptr<Policy> policy, std::vector<TensorSpec> observation, at::Device device) {
  return std::make_unique<NormalisedPolicy>(std::move(policy), std::move(observation), device);
}

}  // namespace orbit

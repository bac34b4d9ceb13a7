#include "src/policy/space_policy.h"
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tensor.h>
#include <cmath>
#include "src/common/error.h"
#include "src/policy/mlp_actions.h"

namespace orbit {

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

SpacePolicy::SpacePolicy(ActionSpace space, bool squash, at::Device device) : space_(std::move(space)), squash_(squash), device_(device) {
  if (space_.discrete()) return;
  log_std_ = parameter("log_std", {space_.size()});
  low_ = at::tensor(std::vector<double>(space_.low.begin(), space_.low.end())).to(device_);
  range_ = at::tensor(std::vector<double>(space_.high.begin(), space_.high.end())).to(device_) - low_;
}

at::Tensor SpacePolicy::parameter(const std::string& name, const std::vector<int64_t>& shape) {
  parameters_.emplace_back(name, at::empty(shape, at::TensorOptions().dtype(at::kFloat).device(device_)).requires_grad_(true));
  return parameters_.back().second;
}

LinearWeights SpacePolicy::linear(const std::string& name, int64_t in, int64_t out) {
  LinearWeights w;
  w.weight = parameter(name + ".weight", {out, in});
  w.bias = parameter(name + ".bias", {out});
  return w;
}

std::unique_ptr<ActionDistribution> SpacePolicy::distribution(const at::Tensor& outputs) const {
  if (space_.discrete()) return make_choices(outputs, space_);
  if (squash_) return make_squashed_gaussian(outputs, log_std_, low_, range_);
  return make_gaussian(outputs, log_std_);
}

void SpacePolicy::draw(Initialiser& from, const LinearWeights& layer, bool orthogonal, double gain) const {
  const LinearWeights host{at::empty(layer.weight.sizes(), at::kFloat), at::empty(layer.bias.sizes(), at::kFloat)};
  if (orthogonal) from.orthogonal(host, gain);
  else from.linear(host);
  layer.weight.copy_(host.weight);
  layer.bias.copy_(host.bias);
}

void SpacePolicy::copy_from(const SpacePolicy& other) {
  at::NoGradGuard no_gradients;
  for (size_t i = 0; i < parameters_.size(); ++i) parameters_[i].second.copy_(other.parameters_[i].second);
  training_ = other.training_;
}

}  // namespace orbit

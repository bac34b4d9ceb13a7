#include "src/ppo/reward_norm.h"
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include "extensions/ops.h"

namespace orbit {

RewardNorm::RewardNorm(int64_t rows, double gamma, at::Device device)
    : gamma_(gamma), running_(at::zeros({rows}, at::TensorOptions().dtype(at::kFloat).device(device))), moments_(1, device) {}

// A discounted sum of the past is an advantage in reversed time with values of 0 and lambda 1: one operator serves both.
void RewardNorm::add(const RolloutBatch& b, const at::Tensor& goes_on) {
  const at::Tensor reward = at::cat({b.reward.flip(0), running_.unsqueeze(0)}), none = at::zeros_like(reward);
  const at::Tensor ended = b.terminated.logical_or(b.truncated), start = at::zeros_like(goes_on).unsqueeze(0);
  const at::Tensor ended_before = at::cat({ended.slice(0, 0, -1).flip(0), start, start});  // entry i: time T - 1 - i, then the past
  at::Tensor sum = at::empty_like(reward), unused = at::empty_like(reward);
  ops::gae_(reward, none, none, ended_before, at::zeros_like(ended_before), gamma_, 1.0, sum, unused);
  running_.copy_(sum.select(0, 0) * goes_on);
  moments_.add(sum.slice(0, 0, -1).flip(0).flatten().unsqueeze(-1), b.active.flatten());
}

at::Tensor RewardNorm::normalise(const at::Tensor& reward) const {
  const at::Tensor scale = (moments_.variance + 1e-8).rsqrt().to(at::kFloat);
  return (reward * scale).clamp(-kNormalisedLimit, kNormalisedLimit);
}

std::vector<NamedTensor> RewardNorm::state() const {
  return {{"running", running_}, {"mean", moments_.mean}, {"variance", moments_.variance}, {"count", moments_.count}};
}

}  // namespace orbit

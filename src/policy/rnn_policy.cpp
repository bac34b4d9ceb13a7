#include "src/policy/rnn_policy.h"
#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/where.h>
#include <cmath>
#include "src/common/error.h"
#include "src/policy/space_policy.h"

namespace orbit {
namespace {

// The distribution over a space's actions, and the next memory, which is certain.
class WithMemory final : public ActionDistribution {
 public:
  WithMemory(std::unique_ptr<ActionDistribution> actions, at::Tensor memory) : actions_(std::move(actions)), memory_(std::move(memory)) {}
  ActionChoice sample(const SampleKey& key) const override { return remember(actions_->sample(key)); }
  ActionChoice greedy() const override { return remember(actions_->greedy()); }
  ActionScore score(at::TensorList action) const override { return actions_->score(action.slice(0, action.size() - 1)); }
  at::Tensor divergence(const ActionDistribution& reference) const override {
    return actions_->divergence(*dynamic_cast<const WithMemory&>(reference).actions_);
  }

 private:
  ActionChoice remember(ActionChoice choice) const {
    choice.action.push_back(memory_.detach());
    return choice;
  }
  std::unique_ptr<ActionDistribution> actions_;
  at::Tensor memory_;
};

class RnnPolicy final : public SpacePolicy {
 public:
  RnnPolicy(RnnPolicyConfig config, ActionSpace space, int64_t observation_size, at::Device device)
      : SpacePolicy(std::move(space), config.squash, device), config_(config), observation_size_(observation_size) {
    embed_ = linear("embed", observation_size, config.hidden);
    const int64_t gates = 3 * config.memory;  // reset, update, new; rows in this order
    input_.weight = parameter("gru.weight_ih_l0", {gates, config.hidden});
    state_.weight = parameter("gru.weight_hh_l0", {gates, config.memory});
    input_.bias = parameter("gru.bias_ih_l0", {gates});
    state_.bias = parameter("gru.bias_hh_l0", {gates});
    actor_ = linear("actor", config.memory, space_.outputs());
    critic_ = linear("critic", config.memory, 1);
  }

  Prediction predict(at::TensorList observation) const override { return predict_sequences(observation, 1); }

  // Each sequence begins with the memory that its first row had when it was played, and forgets where an episode begins.
  Prediction predict_sequences(at::TensorList observation, int64_t length) const override {
    const int64_t sequences = observation[0].size(0) / length;
    const auto by_step = [&](const at::Tensor& rows) { return rows.unflatten(0, {sequences, length}); };
    const at::Tensor embedded = activate(config_.activation, at::linear(observation[0], embed_.weight, embed_.bias));
    const at::Tensor seen = by_step(at::linear(embedded, input_.weight, input_.bias));  // the unit's half that knows no memory, of all steps
    const at::Tensor begins = by_step(observation[2]).unsqueeze(2);
    at::Tensor memory = by_step(observation[1]).select(1, 0);
    std::vector<at::Tensor> states;
    for (int64_t t = 0; t < length; ++t) {
      if (t > 0) memory = at::where(begins.select(1, t), 0.0, memory);
      memory = next(seen.select(1, t).chunk(3, 1), memory);
      states.push_back(memory);
    }
    const at::Tensor h = length == 1 ? states[0] : at::stack(states, 1).flatten(0, 1);
    const at::Tensor outputs = at::linear(h, actor_.weight, actor_.bias), value = at::linear(h, critic_.weight, critic_.bias).squeeze(1);
    return {std::make_unique<WithMemory>(distribution(outputs), h), value};
  }

  std::unique_ptr<Policy> clone() const override {
    auto copy = std::make_unique<RnnPolicy>(config_, space_, observation_size_, device_);
    copy->copy_from(*this);
    return copy;
  }

  void initialise(uint64_t seed) {
    at::NoGradGuard no_gradients;
    Initialiser from(seed);
    const auto draw_layer = [&](const LinearWeights& w, double gain) { draw(from, w, config_.orthogonal, gain); };
    draw_layer(embed_, std::sqrt(2.0));
    for (const LinearWeights& gates : {input_, state_})
      for (int64_t k = 0; k < 3; ++k) draw_layer({gates.weight.chunk(3)[size_t(k)], gates.bias.chunk(3)[size_t(k)]}, 1.0);
    draw_layer(actor_, 0.01);
    draw_layer(critic_, 1.0);
    if (log_std_.defined()) log_std_.fill_(config_.log_std_init);
  }

 private:
  // h' = (1 - z) n + z h with reset gate r, update gate z and n = tanh(W x + r (U h)), as nn.GRU has it. seen: W x of r, z, n.
  at::Tensor next(const std::vector<at::Tensor>& seen, const at::Tensor& memory) const {
    const std::vector<at::Tensor> own = at::linear(memory, state_.weight, state_.bias).chunk(3, 1);
    const at::Tensor reset = at::sigmoid(seen[0] + own[0]), update = at::sigmoid(seen[1] + own[1]);
    const at::Tensor fresh = at::tanh(seen[2] + reset * own[2]);
    return fresh + update * (memory - fresh);
  }

  RnnPolicyConfig config_;
  int64_t observation_size_;
  LinearWeights embed_, input_, state_, actor_, critic_;
};

}  // namespace

std::unique_ptr<Policy> make_rnn_policy(const RnnPolicyConfig& config, const ActionSpace& space, int64_t observation_size, uint64_t seed,
                                        at::Device device) {
  check_space(space, observation_size, config.squash);
  if (config.hidden < 1 || config.memory < 1) throw UserError("model.rnn: hidden and memory must be at least 1");
  auto policy = std::make_unique<RnnPolicy>(config, space, observation_size, device);
  policy->initialise(seed);
  return policy;
}

}  // namespace orbit

#include "src/ppo/update.h"
#include <ATen/TensorOperators.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/_foreach_add.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_foreach_sub.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include "extensions/policy_ops.h"
#include "src/ppo/advantage.h"
#include "src/ppo/minibatch_order.h"

namespace orbit {
namespace {

Minibatch part_of(const Minibatch& b, int64_t part, int64_t parts) {
  const auto narrow = [&](const at::Tensor& t) { return t.narrow(0, part * (t.size(0) / parts), t.size(0) / parts); };
  Minibatch p{{}, {}, narrow(b.old_log_prob), narrow(b.old_value), narrow(b.advantage), narrow(b.ret), narrow(b.weight),
              b.sequence_length};
  for (const at::Tensor& t : b.observation) p.observation.push_back(narrow(t));
  for (const at::Tensor& t : b.action) p.action.push_back(narrow(t));
  return p;
}

// The parts' means have the whole minibatch's weights, so that they add up.
void add_terms(LossTerms& sum, const LossTerms& part) {
  at::NoGradGuard no_gradients;
  for (const auto term : {&LossTerms::total, &LossTerms::policy_loss, &LossTerms::value_loss, &LossTerms::entropy, &LossTerms::kl,
                          &LossTerms::approx_kl, &LossTerms::clip_fraction}) {
    const at::Tensor more = (part.*term).detach();
    sum.*term = (sum.*term).defined() ? sum.*term + more : more;
  }
}

// reference += (1 - decay) (policy - reference), unless skip is 1.
void follow(const Policy& reference, const Policy& policy, double decay, const at::Tensor& skip) {
  at::NoGradGuard no_gradients;
  std::vector<at::Tensor> to, from;
  for (const auto& [name, t] : reference.named_parameters()) to.push_back(t);
  for (const auto& [name, t] : policy.named_parameters()) from.push_back(t);
  std::vector<at::Tensor> change = at::_foreach_sub(from, to);
  at::_foreach_mul_(change, at::Tensor((1.0 - skip) * (1.0 - decay)));
  at::_foreach_add_(to, change);
}

}  // namespace

UpdateProgress::UpdateProgress(at::Device device) {
  const auto options = at::TensorOptions().device(device);
  sums = at::zeros({kUpdateSums}, options.dtype(at::kDouble));
  stopped = at::zeros({}, options.dtype(at::kFloat));
  diverged = at::zeros({2}, options.dtype(at::kFloat));
}

void UpdateProgress::begin() {
  under_way = true;
  epoch = minibatch = 0;
  for (const at::Tensor& t : {sums, stopped, diverged}) t.zero_();
}

Update::Update(UpdateOptions options, const Policy& policy, const Policy* reference, AdamW& optimizer, const RolloutBatch& batch,
               UpdateProgress& progress, const MakeBackend& make_backend)
    : options_(options), policy_(policy), reference_(reference), optimizer_(optimizer), progress_(progress), steps_(batch.steps()),
      rows_(batch.rows()) {
  const int64_t length = options_.sequence_length;
  TORCH_CHECK(steps_ % length == 0 && options_.minibatch_size % (length * options_.accumulation) == 0, "sequences of ", length,
              " steps do not fill a rollout of ", steps_, " or minibatches of ", options_.minibatch_size);
  for (const auto& [name, t] : batch.observation) observation_.push_back(t.flatten(0, 1));
  for (const auto& [name, t] : batch.action) action_.push_back(t.flatten(0, 1));
  log_prob_ = batch.log_prob.flatten(), value_ = batch.value.flatten(), active_ = batch.active.flatten();
  advantage_ = at::zeros(log_prob_.sizes(), log_prob_.options());
  ret_ = at::zeros(log_prob_.sizes(), log_prob_.options());
  const int64_t size = options_.minibatch_size, minibatches = (log_prob_.numel() + size - 1) / size;
  const auto integers = log_prob_.options().dtype(at::kLong);
  order_ = at::zeros({minibatches * size}, integers);
  position_ = at::zeros({}, integers);
  count_ = at::zeros({}, integers);
  offsets_ = at::arange(size, integers);
  network_ = reference_ ? nullptr : policy_.small_network();
  if (network_) {
    for (const at::Tensor& w : network_->weights) gradients_.push_back(w.grad());
    if (network_->log_std) gradients_.push_back(network_->log_std->grad());
  }
  coefficients_ = coefficients();
  terms_ = at::zeros({kLossTerms}, log_prob_.options());
  skip_ = at::zeros({}, log_prob_.options());
  step_ = std::make_unique<CapturedStep>("minibatch update", [this] { apply_minibatch(); }, make_backend());
}

bool Update::run(const at::Tensor& advantage, const at::Tensor& ret, int64_t iteration, const std::function<bool()>& stop) {
  advantage_.copy_(advantage.flatten());
  ret_.copy_(ret.flatten());
  const at::Tensor active = active_.cpu().nonzero().flatten();  // rows that count
  const int64_t n = active.numel(), size = options_.minibatch_size, minibatches = (n + size - 1) / size;
  count_.fill_(n);
  UpdateProgress& p = progress_;
  for (; p.epoch < options_.epochs; ++p.epoch, p.minibatch = 0) {
    order_.narrow(0, 0, minibatches * size).copy_(order_of_epoch(active, iteration));
    position_.fill_(p.minibatch);
    for (; p.minibatch < minibatches; ++p.minibatch) {
      if (stop()) return false;
      step_->run();
      // On a CPU the flag costs nothing to read, and skipped updates need not be computed.
      if (p.stopped.is_cpu() && *p.stopped.const_data_ptr<float>() > 0) {
        p.epoch = options_.epochs;
        return true;
      }
    }
  }
  return true;
}

at::Tensor Update::order_of_epoch(const at::Tensor& active, int64_t iteration) const {
  const int64_t length = options_.sequence_length, size = options_.minibatch_size, epoch = progress_.epoch;
  if (length == 1) return minibatch_order(active, size, options_.seed, iteration, epoch);
  TORCH_CHECK(active.numel() == steps_ * rows_, "sequences need rows that take part in every step");
  return sequence_order(steps_, rows_, length, size, options_.seed, iteration, epoch);
}

Minibatch Update::present_minibatch() const {
  const at::Tensor at = position_ * options_.minibatch_size + offsets_, index = order_.index_select(0, at);
  const auto take = [&](const at::Tensor& t) { return t.index_select(0, index); };
  Minibatch b{{}, {}, take(log_prob_), take(value_), take(advantage_), take(ret_), {}, options_.sequence_length};
  for (const at::Tensor& t : observation_) b.observation.push_back(take(t));
  for (const at::Tensor& t : action_) b.action.push_back(take(t));
  const at::Tensor real = at.lt(count_);
  b.weight = real.to(at::kFloat) / real.sum();
  if (options_.normalise_minibatch) b.advantage = normalise_advantages(b.advantage, real);
  return b;
}

// By autograd, in parts one behind the other.
void Update::compute_gradient() {
  const Minibatch batch = present_minibatch();
  optimizer_.zero_grad();
  LossTerms t;
  for (int64_t k = 0; k < options_.accumulation; ++k) {
    const LossTerms part = ppo_loss(policy_, reference_, part_of(batch, k, options_.accumulation), options_.loss, coefficients_);
    part.total.backward();
    add_terms(t, part);
  }
  terms_.copy_(at::stack({t.total, t.policy_loss, t.value_loss, t.entropy, t.kl, t.approx_kl, t.clip_fraction}));  // LossTerm
}

// The same by one operator, which takes its rows by itself and needs no parts: it holds the activations of a few rows at a time.
void Update::compute_fused_gradient() {
  at::NoGradGuard no_gradients;
  ops::ppo_gradient_(*network_, {observation_[0], action_[0], log_prob_, value_, advantage_, ret_},
                     {order_, position_, count_, options_.minibatch_size, options_.normalise_minibatch},
                     {coefficients_.clip_eps, coefficients_.entropy_coef, options_.loss.value_coef, options_.loss.value_clip_eps}, gradients_,
                     terms_);
}

// The captured region: everything that differs from one minibatch to the next is in tensors.
void Update::apply_minibatch() {
  std::optional<at::AutoDispatchBelowAutograd> no_autograd;  // whose every step costs something, used or not
  if (network_) no_autograd.emplace();
  update_coefficients(coefficients_, options_.loss, optimizer_.steps_done());
  if (network_) compute_fused_gradient();
  else compute_gradient();
  const at::Tensor norm = optimizer_.clip_gradients();
  ops::judge_minibatch_(terms_, norm, progress_.stopped, options_.loss_limit, skip_);
  optimizer_.step(skip_);
  if (reference_ && options_.reference_decay) follow(*reference_, policy_, *options_.reference_decay, skip_);
  ops::record_minibatch_(terms_, norm, skip_, options_.target_kl, progress_.sums, progress_.stopped, progress_.diverged, position_);
}

}  // namespace orbit

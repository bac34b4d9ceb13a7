#include "src/league/opponent_pool.h"
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty_like.h>
#include <cmath>
#include "envs/common/rng.h"

namespace orbit {
namespace {

double weight_of(const PoolMember& member, const PoolOptions& options) {
  const double w = member.win_rate;
  switch (options.priority) {
    case PoolPriority::kHard: return std::pow(1 - w, options.exponent);
    case PoolPriority::kVariance: return std::pow(w * (1 - w), options.exponent);
    default: return 1;
  }
}

void copy_weights(const std::vector<NamedTensor>& from, const std::vector<NamedTensor>& to) {
  at::NoGradGuard no_gradients;
  for (size_t i = 0; i < from.size(); ++i) to[i].second.copy_(from[i].second);
}

}  // namespace

OpponentPool::OpponentPool(PoolOptions options, std::shared_ptr<Policy> seat) : options_(options), seat_(std::move(seat)) {
  seat_->train(false);
  seat_->set_requires_grad(false);
}

PoolMember OpponentPool::empty_member() const {
  PoolMember member;
  for (const auto& [name, tensor] : seat_->named_state()) member.weights.emplace_back(name, at::empty_like(tensor));
  return member;
}

void OpponentPool::begin_iteration(int64_t iteration, const Policy& learner) {
  const bool taken = !members_.empty() && members_.back().iteration == iteration;
  if (!taken && (members_.empty() || iteration % options_.snapshot_every == 0)) {
    members_.push_back(empty_member());
    members_.back().iteration = iteration;
    copy_weights(learner.named_state(), members_.back().weights);
    while (int64_t(members_.size()) > options_.cap) members_.erase(members_.begin());
  }
  copy_weights(members_[drawn(iteration)].weights, seat_->named_state());
}

void OpponentPool::record(int64_t iteration, double win_rate) {
  double& known = members_[drawn(iteration)].win_rate;
  known = options_.smoothing * known + (1 - options_.smoothing) * win_rate;
}

size_t OpponentPool::drawn(int64_t iteration) const {
  const Random4 u = draw4(options_.seed, Stream::kPool, 0, uint32_t(iteration), 0);
  if (unit_double(u.v[0], u.v[1]) < options_.newest_share) return members_.size() - 1;
  double total = 0;
  for (const PoolMember& member : members_) total += weight_of(member, options_);
  // All weights 0 (the learner wins every game): alike.
  const auto share = [&](const PoolMember& m) { return total > 0 ? weight_of(m, options_) / total : 1.0 / double(members_.size()); };
  double left = unit_double(u.v[2], u.v[3]);
  for (size_t i = 0; i + 1 < members_.size(); ++i) {
    left -= share(members_[i]);
    if (left < 0) return i;
  }
  return members_.size() - 1;
}

}  // namespace orbit

#include "src/ppo/update.h"
#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/full.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/zeros.h>
#include <numeric>
#include "envs/common/rng.h"
#include "src/ppo/advantage.h"

namespace orbit {

struct Update::Flat {
  at::Tensor planets, globals, valid, mine, target, x, log_prob, advantage, ret;

  Flat(const RolloutBatch& b, const at::Tensor& a, const at::Tensor& r) {
    const auto flat = [](const at::Tensor& t) { return t.flatten(0, 1); };
    planets = flat(b.planets), globals = flat(b.globals), valid = flat(b.valid), mine = flat(b.mine);
    target = flat(b.target), x = flat(b.x), log_prob = flat(b.log_prob), advantage = flat(a), ret = flat(r);
  }
};

UpdateProgress begin_updates(at::Device device) {
  const auto options = at::TensorOptions().device(device);
  return {0, 0, at::zeros({kUpdateSums}, options.dtype(at::kDouble)), at::zeros({}, options.dtype(at::kFloat))};
}

std::vector<int64_t> permutation(int64_t n, uint64_t seed, int64_t iteration, int64_t epoch) {
  std::vector<int64_t> order(static_cast<size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  for (int64_t i = n - 1; i > 0; --i) {  // Fisher and Yates
    const Random4 u = draw4(seed, Stream::kPermutation, uint32_t(iteration), uint32_t(epoch), uint32_t(i));
    std::swap(order[size_t(i)], order[size_t((uint64_t(u.v[0]) * uint64_t(i + 1)) >> 32)]);
  }
  return order;
}

Update::Update(UpdateOptions options, const Policy& policy, const Policy* reference, AdamW& optimizer)
    : options_(options), policy_(policy), reference_(reference), optimizer_(optimizer) {}

bool Update::run(const RolloutBatch& batch, const at::Tensor& advantage, const at::Tensor& ret, int64_t iteration,
                 const std::function<bool()>& stop, UpdateProgress& progress) {
  const Flat flat(batch, advantage, ret);
  const at::Tensor active = batch.active.flatten().nonzero().flatten().cpu();  // rows that count
  const int64_t n = active.numel(), size = options_.minibatch_size, minibatches = (n + size - 1) / size;
  for (; progress.epoch < options_.epochs; ++progress.epoch, progress.minibatch = 0) {
    std::vector<int64_t> order = permutation(n, options_.seed, iteration, progress.epoch);
    order.resize(size_t(minibatches * size), 0);  // padding of the last minibatch: row 0 with weight 0
    const at::Tensor rows = active.index_select(0, at::from_blob(order.data(), {int64_t(order.size())}, at::kLong)).to(flat.planets.device());
    for (; progress.minibatch < minibatches; ++progress.minibatch) {
      if (stop()) return false;
      const int64_t begin = progress.minibatch * size;
      apply(flat, rows.narrow(0, begin, size), std::min(size, n - begin), progress);
      // On a CPU the flag costs nothing to read, and skipped updates need not be computed.
      if (options_.target_kl > 0 && progress.stopped.is_cpu() && progress.stopped.item<float>() > 0) {
        progress.epoch = options_.epochs;
        return true;
      }
    }
  }
  return true;
}

void Update::apply(const Flat& f, const at::Tensor& index, int64_t real, UpdateProgress& progress) {
  const auto take = [&](const at::Tensor& t) { return t.index_select(0, index); };
  Minibatch b{{take(f.planets), take(f.globals), take(f.valid), take(f.mine)}, take(f.target), take(f.x), take(f.log_prob),
              take(f.advantage), take(f.ret), at::zeros({index.size(0)}, f.ret.options())};
  b.weight.narrow(0, 0, real).fill_(1.0 / double(real));
  if (options_.normalise_minibatch) b.advantage = normalise_advantages(b.advantage, b.weight.gt(0));

  optimizer_.zero_grad();
  const LossTerms loss = ppo_loss(policy_, reference_, b, options_.loss);
  loss.total.backward();
  const at::Tensor norm = optimizer_.step(progress.stopped);

  const at::Tensor one = at::full({}, 1.0, norm.options());
  const at::Tensor row = at::stack({loss.policy_loss.detach(), loss.value_loss.detach(), loss.entropy.detach(), loss.kl.detach(),
                                    loss.approx_kl, loss.clip_fraction, norm, one});
  progress.sums.add_(row * (1.0 - progress.stopped));
  if (options_.target_kl > 0)
    progress.stopped.copy_(progress.stopped.maximum(loss.approx_kl.gt(options_.target_kl).to(at::kFloat)));
}

}  // namespace orbit

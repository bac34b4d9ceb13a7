#include "src/ppo/summary.h"
#include <algorithm>

namespace orbit {
namespace {
struct Moments {
  double n = 0, sum = 0, squares = 0;
  void add(double v) { n += 1, sum += v, squares += v * v; }
  double variance() const { return n > 1 ? std::max(0.0, squares / n - (sum / n) * (sum / n)) : 0.0; }
};
}  // namespace

RolloutSummary summarize(const RolloutBatch& batch, const Advantages& advantages) {
  const auto host = [](const at::Tensor& t) { return t.cpu().contiguous(); };
  const at::Tensor reward = host(batch.reward), terminated = host(batch.terminated), truncated = host(batch.truncated),
                   active = host(batch.active), outcome = host(batch.outcome), value = host(batch.value), ret = host(advantages.ret);
  const float *r = reward.const_data_ptr<float>(), *v = value.const_data_ptr<float>(), *target = ret.const_data_ptr<float>();
  const bool *ended = terminated.const_data_ptr<bool>(), *cut = truncated.const_data_ptr<bool>(), *on = active.const_data_ptr<bool>();
  const int32_t* result = outcome.const_data_ptr<int32_t>();

  RolloutSummary s;
  Moments returns, lengths, targets, errors;
  int64_t won = 0, shared = 0;
  const int64_t steps = batch.steps(), rows = batch.rows();
  for (int64_t row = 0; row < rows; ++row) {
    double total = 0, length = 0;
    for (int64_t t = 0; t < steps; ++t) {
      const int64_t at = t * rows + row;
      if (!on[at]) continue;
      targets.add(target[at]);
      errors.add(double(target[at]) - double(v[at]));
      total += double(r[at]);
      length += 1;
      if (!ended[at] && !cut[at]) continue;
      returns.add(total);
      lengths.add(length);
      s.finished += ended[at];
      won += ended[at] && result[at] > 0;
      shared += ended[at] && result[at] == 0;
      total = length = 0;
    }
  }
  s.samples = int64_t(targets.n);
  s.episodes = int64_t(returns.n);
  s.episode_return = returns.n > 0 ? returns.sum / returns.n : 0;
  s.episode_length = lengths.n > 0 ? lengths.sum / lengths.n : 0;
  s.win_rate = s.finished ? double(won) / double(s.finished) : 0;
  s.draw_rate = s.finished ? double(shared) / double(s.finished) : 0;
  s.explained_variance = targets.variance() > 0 ? 1.0 - errors.variance() / targets.variance() : 0;
  return s;
}

UpdateSummary summarize(const UpdateProgress& progress) {
  const at::Tensor sums = progress.sums.cpu();
  const double* s = sums.const_data_ptr<double>();
  const double n = std::max(1.0, s[kApplied]);
  const at::Tensor diverged = progress.diverged.cpu();
  const float* d = diverged.const_data_ptr<float>();
  return {s[kPolicyLoss] / n,   s[kValueLoss] / n, s[kEntropy] / n,        s[kKl] / n, s[kApproxKl] / n,
          s[kClipFraction] / n, s[kGradNorm] / n,  int64_t(s[kApplied]), d[0] > 0,   double(d[1])};
}

}  // namespace orbit

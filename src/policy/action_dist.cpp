#include "src/policy/action_dist.h"

#include <cmath>

#include <ATen/TensorOperators.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/full.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/where.h>

#include "extensions/draws.h"
#include "src/policy/static_actions.h"

namespace orbit {
namespace {

using at::Tensor;

const double kHalfLog2Pi = 0.5 * std::log(2.0 * M_PI);

// The shape (B, P) that the flat rows of an output stand for.
struct ActionShape {
  int64_t states, slots;
  explicit ActionShape(const PolicyOutput& o) : states(o.value.size(0)), slots(o.logits.size(1) - 1) {}
};

Tensor sigma_of(const PolicyOutput& output) { return output.log_std.exp().clamp_min(kMinSigma); }

// (R) -> (B): rows that are not owned count 0.
Tensor sum_over_owned(const Tensor& rows, const PolicyOutput& output) {
  const ActionShape shape(output);
  const Tensor state = output.rows.floor_divide(shape.slots);
  const Tensor owned = at::where(output.owned, rows, at::zeros({}, rows.options()));
  return at::zeros({shape.states}, rows.options()).index_add(0, state, owned);
}

// One row on the CPU: what is drawn or chosen, in float32, and its log-probability in double.
struct RowAction {
  int target;
  float x;
  double log_prob;
};

// log sum exp in double, so that the log-probability is good to float32's last place.
double log_normaliser(const float* logits, int64_t n) {
  double top = logits[0], sum = 0;
  for (int64_t t = 1; t < n; ++t) top = std::max(top, double(logits[t]));
  for (int64_t t = 0; t < n; ++t) sum += std::exp(double(logits[t]) - top);
  return top + std::log(sum);
}

double log_density(double z, double sigma) { return -0.5 * z * z - std::log(sigma) - kHalfLog2Pi; }

// Target: the first whose cumulated probability passes a uniform number of 53 bits (inverse CDF; a masked target has
// probability 0 exactly, so it is never drawn).
RowAction draw_row(const float* logits, int64_t n, double mean, double sigma, const ActionDraw& draw) {
  const double normaliser = log_normaliser(logits, n), u = draw.uniform;
  int target = 0;
  double passed = 0;
  for (int t = 0; t < n; ++t) {
    const double p = std::exp(double(logits[t]) - normaliser);
    if (p > 0) target = t;  // the last possible one, should rounding leave the sum below u
    passed += p;
    if (u < passed) break;
  }
  const float x = float(mean + sigma * draw.normal);
  return {target, x, double(logits[target]) - normaliser + log_density((double(x) - mean) / sigma, sigma)};
}

RowAction choose_row(const float* logits, int64_t n, double mean, double sigma, Greedy mode) {
  const int64_t choices = mode == Greedy::kFire ? n - 1 : n;
  int target = 0;
  for (int t = 1; t < choices; ++t) {
    if (logits[t] > logits[target]) target = t;
  }
  if (mode == Greedy::kFire && logits[n - 1] - logits[target] >= 999.0f) target = int(n - 1);
  return {target, float(mean), double(logits[target]) - log_normaliser(logits, n) + log_density(0.0, sigma)};
}

// Runs `row(logits, mean, sigma, flat slot)` on every owned row and collects actions; log-probabilities are added up per state
// in row order, in double.
template <class RowRule>
ActionSample act(const PolicyOutput& output, RowRule row) {
  at::NoGradGuard no_grad;
  const ActionShape shape(output);
  const Tensor logits = output.logits.contiguous(), mean = output.ship_mean.contiguous(), rows = output.rows.contiguous();
  const Tensor owned = output.owned.contiguous();
  ActionSample sample{at::full({shape.states, shape.slots}, shape.slots, at::kInt), at::zeros({shape.states, shape.slots}, at::kFloat),
                      at::zeros({shape.states}, at::kFloat)};
  const double sigma = std::max(kMinSigma, std::exp(double(output.log_std.item<float>())));
  const int64_t n = logits.size(1);
  const float *logits_data = logits.const_data_ptr<float>(), *mean_data = mean.const_data_ptr<float>();
  const int64_t* flat = rows.const_data_ptr<int64_t>();
  const bool* acts = owned.const_data_ptr<bool>();
  int32_t* target = sample.target.mutable_data_ptr<int32_t>();
  float *x = sample.x.mutable_data_ptr<float>(), *log_prob = sample.log_prob.mutable_data_ptr<float>();
  at::parallel_for(0, shape.states, 16, [&](int64_t begin, int64_t end) {
    int64_t r = std::lower_bound(flat, flat + rows.size(0), begin * shape.slots) - flat;
    for (int64_t b = begin; b < end; ++b) {
      double sum = 0;
      for (; r < rows.size(0) && flat[r] < (b + 1) * shape.slots; ++r) {
        if (!acts[r]) continue;
        const RowAction action = row(logits_data + r * n, n, double(mean_data[r]), sigma, b, flat[r] - b * shape.slots);
        target[flat[r]] = action.target;
        x[flat[r]] = action.x;
        sum += action.log_prob;
      }
      log_prob[b] = float(sum);
    }
  });
  return sample;
}

}  // namespace

ActionSample sample_actions(const PolicyOutput& output, const SampleKey& key) {
  TORCH_CHECK(key.agent.scalar_type() == at::kLong && key.agent.numel() == output.value.size(0),
              "SampleKey.agent: expected int64 of ", output.value.size(0), " states");
  if (output.static_shapes) return sample_static(output, key);
  const Tensor agent = key.agent.contiguous();
  const int64_t* agents = agent.const_data_ptr<int64_t>();
  const uint32_t step = uint32_t(key.step.item<int64_t>());
  return act(output, [&](const float* logits, int64_t n, double mean, double sigma, int64_t state, int64_t slot) {
    return draw_row(logits, n, mean, sigma, draw_action(key.seed, Stream::kPolicy, uint32_t(agents[state]), step, uint32_t(slot)));
  });
}

ActionSample greedy_actions(const PolicyOutput& output, Greedy mode) {
  if (output.static_shapes) return greedy_static(output, mode);
  return act(output, [mode](const float* logits, int64_t n, double mean, double sigma, int64_t, int64_t) {
    return choose_row(logits, n, mean, sigma, mode);
  });
}

ActionScore evaluate_actions(const PolicyOutput& output, const Tensor& target, const Tensor& x) {
  const Tensor log_p = output.logits.log_softmax(-1), sigma = sigma_of(output);
  const Tensor chosen = target.flatten().index_select(0, output.rows).to(at::kLong).unsqueeze(-1);
  const Tensor z = (x.flatten().index_select(0, output.rows) - output.ship_mean) / sigma;
  const Tensor log_sigma = sigma.log();
  const Tensor log_prob = log_p.gather(-1, chosen).squeeze(-1) - 0.5 * z.square() - (log_sigma + kHalfLog2Pi);
  const Tensor entropy = (log_sigma + (0.5 + kHalfLog2Pi)) - (log_p.exp() * log_p).sum(-1);
  return {sum_over_owned(log_prob, output), sum_over_owned(entropy, output)};
}

Tensor kl_divergence(const PolicyOutput& output, const PolicyOutput& reference) {
  TORCH_CHECK(output.rows.size(0) == reference.rows.size(0), "kl_divergence: ", output.rows.size(0), " rows against ",
              reference.rows.size(0));
  const Tensor log_p = output.logits.log_softmax(-1), log_ref = reference.logits.log_softmax(-1);
  const Tensor sigma = sigma_of(output), sigma_ref = sigma_of(reference);
  const Tensor targets = (log_p.exp() * (log_p - log_ref)).sum(-1);
  const Tensor ships = (sigma_ref / sigma).log() - 0.5 +
                       (sigma.square() + (output.ship_mean - reference.ship_mean).square()) / (2.0 * sigma_ref.square());
  return sum_over_owned(targets + ships, output);
}

}  // namespace orbit

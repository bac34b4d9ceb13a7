// The gradient of a minibatch as one operator, for the policies that it knows: small networks on a CPU.
#include <torch/library.h>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>
#include "extensions/checks.h"
#include "extensions/minibatch_record.h"
#include "extensions/mlp/ppo_gradient.h"
#include "extensions/share_out.h"

namespace orbit {
namespace {

// Sums are made over these many rows each and then added in order, whatever the number of threads.
constexpr int64_t kRowsOfASum = 2 * kTileRows, kMostSums = 16;
// A sleeping thread takes about as long to wake as this many multiply-adds take one that is awake. Smaller minibatches are shared only
// where one follows the other, as they do in an update.
constexpr int64_t kWorthWaking = 10'000'000;

// Mean and 1 / (standard deviation + 1e-8) of the advantages that count, as src/ppo/advantage.h has them.
void normalise(const PpoRollout& rollout, PpoMinibatch& b) {
  const double n = double(std::max<int64_t>(b.real, 1));
  double sum = 0, squares = 0;
  for (int64_t i = 0; i < b.real; ++i) sum += double(rollout.advantage[b.row[i]]);
  b.advantage_mean = sum / n;
  for (int64_t i = 0; i < b.real; ++i) {
    const double off = double(rollout.advantage[b.row[i]]) - b.advantage_mean;
    squares += off * off;
  }
  b.advantage_scale = 1.0 / (std::sqrt(squares / std::max(n - 1.0, 1.0)) + 1e-8);
}

// Memory of this thread, kept from one minibatch to the next.
float* workspace(int64_t floats) {
  thread_local std::vector<float> memory;
  if (int64_t(memory.size()) < floats) memory = std::vector<float>(static_cast<size_t>(floats));
  return memory.data();
}

void run(const PpoGradient& work, int64_t rows, float* d_log_std, double* terms) {
  const int64_t most = (rows + kMostSums - 1) / kMostSums, each = std::max(kRowsOfASum, (most + kTileRows - 1) / kTileRows * kTileRows);
  const int64_t sums = (rows + each - 1) / each, gradient = work.gradient_floats(), threads = threads_to_share();
  const int64_t own = work.packed_floats() + work.scratch_floats();  // of each thread
  float *const g = workspace(sums * gradient + threads * own), *const threads_own = g + sums * gradient;
  std::vector<double> parts(size_t(sums * kPpoTerms), 0.0);
  std::vector<char> packed(size_t(threads), false);
  const int64_t multiply_adds = 3 * rows * gradient;  // forth, and back for weights and activations
  // Each thread packs the weights for itself: that takes less time than to fetch what another core has packed.
  ThreadTeam::run(int(threads), sums, multiply_adds >= kWorthWaking, [&](int64_t k, int thread) {
    float *const weights = threads_own + thread * own, *const scratch = weights + work.packed_floats();
    if (!std::exchange(packed[size_t(thread)], true)) work.pack(weights);
    std::memset(g + k * gradient, 0, sizeof(float) * size_t(gradient));
    work.add(k * each, std::min(rows, (k + 1) * each), weights, scratch, g + k * gradient, parts.data() + k * kPpoTerms);
  });
  for (int64_t k = 0; k < sums; ++k) {
    for (int64_t i = 0; k > 0 && i < gradient; ++i) g[i] += g[k * gradient + i];
    for (int term = 0; term < kPpoTerms; ++term) terms[term] += parts[size_t(k * kPpoTerms + term)];
  }
  work.give(g, d_log_std);
}

void ppo_gradient_(at::TensorList weights, bool shared, bool relu, at::IntArrayRef choices, const std::optional<at::Tensor>& log_std,
                   at::ArrayRef<double> low, at::ArrayRef<double> high, const std::optional<at::Tensor>& mean,
                   const std::optional<at::Tensor>& variance, const at::Tensor& observation, const at::Tensor& action,
                   const at::Tensor& log_prob, const at::Tensor& value, const at::Tensor& advantage, const at::Tensor& ret,
                   const at::Tensor& order, const at::Tensor& position, const at::Tensor& count, int64_t minibatch_size,
                   bool normalise_advantage, const at::Tensor& clip_eps, const at::Tensor& entropy_coef, double value_coef,
                   std::optional<double> value_clip_eps, at::TensorList gradients, at::Tensor terms) {
  const MlpTensors tensors{weights.vec(), shared, relu, choices.vec(), log_std, low.vec(), high.vec(), mean, variance};
  const bool discrete = !choices.empty();
  TORCH_CHECK(gradients.size() == weights.size() + (discrete ? 0 : 1), "gradients: expected one of each weight, and of log_std, found ",
              gradients.size());
  const MlpView view = mlp_view(tensors, gradients.slice(0, weights.size()));
  const at::Device device = observation.device();
  check_tensor(observation, "observation", at::kFloat, {-1, view.net[0].inputs()}, device);
  const int64_t rows = observation.size(0), numbers = view.head.numbers;
  check_tensor(action, "action", discrete ? at::kLong : at::kFloat, {rows, numbers}, device);
  check_tensor(log_prob, "log_prob", at::kFloat, {rows}, device);
  check_tensor(value, "value", at::kFloat, {rows}, device);
  check_tensor(advantage, "advantage", at::kFloat, {rows}, device);
  check_tensor(ret, "ret", at::kFloat, {rows}, device);
  check_tensor(order, "order", at::kLong, {-1}, device);
  check_tensor(position, "position", at::kLong, {}, device);
  check_tensor(count, "count", at::kLong, {}, device);
  check_tensor(clip_eps, "clip_eps", at::kFloat, {}, device);
  check_tensor(entropy_coef, "entropy_coef", at::kFloat, {}, device);
  if (!discrete) check_tensor(gradients.back(), "gradients", at::kFloat, {numbers}, device);
  check_tensor(terms, "terms", at::kFloat, {kLossTerms}, device);
  TORCH_CHECK(minibatch_size > 0, "minibatch_size: expected at least 1, found ", minibatch_size);
  if (observation.is_meta()) return;

  const int64_t place = *read_pointer<int64_t>(position), places = order.numel() / minibatch_size;
  TORCH_CHECK(place >= 0 && place < places, "position: expected one of the ", places, " minibatches of order, found ", place);
  const int64_t first = place * minibatch_size, real = std::clamp<int64_t>(*read_pointer<int64_t>(count), 0, order.numel()) - first;
  const int64_t* row = read_pointer<int64_t>(order) + first;
  for (int64_t i = 0; i < minibatch_size; ++i)
    TORCH_CHECK(row[i] >= 0 && row[i] < rows, "order: expected rows below ", rows, ", found ", row[i]);

  const PpoRollout rollout{read_pointer<float>(observation), discrete ? read_pointer<int64_t>(action) : nullptr,
                           discrete ? nullptr : read_pointer<float>(action), read_pointer<float>(log_prob), read_pointer<float>(value),
                           read_pointer<float>(advantage), read_pointer<float>(ret)};
  PpoMinibatch minibatch{row, std::clamp<int64_t>(real, 0, minibatch_size), 0.0, 1.0};
  if (normalise_advantage) normalise(rollout, minibatch);
  const PpoCoefficients coefficients{*read_pointer<float>(clip_eps), *read_pointer<float>(entropy_coef), float(value_coef),
                                     value_clip_eps ? float(*value_clip_eps) : -1.0f};
  double sums[kPpoTerms] = {};
  run(PpoGradient(view, rollout, minibatch, coefficients), minibatch_size, discrete ? nullptr : write_pointer<float>(gradients.back()), sums);
  float* t = write_pointer<float>(terms);
  t[kTotalLoss] = float(sums[kTermPolicy] + value_coef * sums[kTermValue] - double(coefficients.entropy_coef) * sums[kTermEntropy]);
  t[kPolicyTerm] = float(sums[kTermPolicy]);
  t[kValueTerm] = float(sums[kTermValue]);
  t[kEntropyTerm] = float(sums[kTermEntropy]);
  t[kKlTerm] = 0;
  t[kApproxKlTerm] = float(sums[kTermApproxKl]);
  t[kClipFractionTerm] = float(sums[kTermClipFraction]);
}

}  // namespace
}  // namespace orbit

TORCH_LIBRARY_IMPL(orbit, CPU, m) { m.impl("ppo_gradient_", orbit::ppo_gradient_); }
TORCH_LIBRARY_IMPL(orbit, Meta, m) { m.impl("ppo_gradient_", orbit::ppo_gradient_); }

#include "src/ppo/rollout.h"
#include <ATen/TensorOperators.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <c10/core/InferenceMode.h>
#include <chrono>

namespace orbit {
namespace {
using Clock = std::chrono::steady_clock;
double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

at::Tensor zeros(std::vector<int64_t> leading, const TensorSpec& spec, at::Device device) {
  leading.insert(leading.end(), spec.shape.begin(), spec.shape.end());
  return at::zeros(leading, at::TensorOptions().dtype(spec.dtype).device(device));
}

// The only step of a batch with T = 1.
std::vector<at::Tensor> only_step(const std::vector<std::pair<std::string, at::Tensor>>& named) {
  std::vector<at::Tensor> list;
  for (const auto& [name, t] : named) list.push_back(t.select(0, 0));
  return list;
}
}  // namespace

RolloutBatch make_rollout_batch(int64_t steps, const Task& task) {
  const std::vector<int64_t> shape{steps, task.rows()};
  RolloutBatch b;
  for (const TensorSpec& s : task.observation()) b.observation.emplace_back(s.name, zeros(shape, s, task.device()));
  for (const TensorSpec& s : task.action()) b.action.emplace_back(s.name, zeros(shape, s, task.device()));
  const auto options = at::TensorOptions().device(task.device());
  for (at::Tensor* x : {&b.log_prob, &b.value, &b.reward, &b.final_value}) *x = at::zeros(shape, options.dtype(at::kFloat));
  for (at::Tensor* x : {&b.terminated, &b.truncated, &b.active}) *x = at::zeros(shape, options.dtype(at::kBool));
  b.outcome = at::zeros(shape, options.dtype(at::kInt));
  return b;
}

int64_t bytes_of(const RolloutBatch& b) {
  int64_t total = 0;
  b.for_each([&](const std::string&, const at::Tensor& x) { total += int64_t(x.nbytes()); });
  return total;
}

Rollout::Rollout(RolloutOptions options, Task& task, const Policy& policy, RolloutBatch& batch, MakeBackend make_backend)
    : options_(options),
      task_(task),
      policy_(policy),
      batch_(batch),
      make_backend_(std::move(make_backend)),
      now_(make_rollout_batch(1, task)),
      network_(policy.small_network()) {
  const auto integers = at::TensorOptions().dtype(at::kLong).device(task.device());
  goes_on_ = at::zeros({task.rows()}, integers.dtype(at::kBool));
  const int64_t rows = task.rows(), places = task.truncations_within(options_.horizon);
  step_ = at::zeros({1}, integers);
  agents_ = at::arange(rows, integers);
  if (places > 0) {
    for (const TensorSpec& s : task.observation()) {
      last_.push_back(zeros({rows}, s, task.device()));
      kept_.push_back(zeros({places * rows + 1}, s, task.device()));
    }
    used_ = at::zeros({rows}, integers);
    place_ = at::zeros({options_.horizon, rows}, integers);
    place_now_ = at::zeros({1, rows}, integers);
  }
  recapture();
}

void Rollout::recapture() {
  play_ = std::make_unique<CapturedStep>("rollout step", [this] { play_step(); }, make_backend_());
  finish_ = std::make_unique<CapturedStep>("end of the rollout", [this] { value_final_observations(); }, make_backend_());
}

bool Rollout::collect(const std::function<bool()>& stop) {
  c10::InferenceMode no_gradients;
  const auto start = Clock::now();
  times_ = {};
  task_.begin_rollout();
  if (stop()) return false;
  if (network_ && task_.play(*network_, options_.seed, options_.bootstrap_truncated, batch_, goes_on_)) {
    times_.inference = seconds_since(start);
    return true;
  }
  step_.zero_();
  if (used_.defined()) used_.zero_();
  for (int64_t t = 0; t < options_.horizon; ++t) {
    if (stop()) return false;
    play_->run();
  }
  finish_->run();
  times_.launch = seconds_since(start);
  (void)task_.turn().item<int64_t>();  // waits for a device that works on its own, so that the time is the rollout's
  times_.inference = seconds_since(start) - times_.environment;
  return true;
}

// The captured region: everything that differs from step to step is in tensors.
void Rollout::play_step() {
  auto start = Clock::now();
  const std::vector<at::Tensor> observation = only_step(now_.observation), action = only_step(now_.action);
  task_.observe(observation);
  task_.active(now_.active.select(0, 0));
  times_.environment += seconds_since(start);

  const Prediction prediction = policy_.predict(observation);
  const ActionChoice choice = prediction.actions->sample({options_.seed, agents_, task_.turn()});
  for (size_t i = 0; i < action.size(); ++i) action[i].copy_(choice.action[i]);
  now_.log_prob.select(0, 0).copy_(choice.log_prob);
  now_.value.select(0, 0).copy_(prediction.value);

  start = Clock::now();
  const auto row = [](const at::Tensor& t) { return t.select(0, 0); };
  task_.step(action, {row(now_.reward), row(now_.terminated), row(now_.truncated), row(now_.outcome)}, last_);
  times_.environment += seconds_since(start);

  if (!kept_.empty()) keep_final_observations();
  std::vector<at::Tensor> present;
  now_.for_each([&](const std::string&, const at::Tensor& t) { present.push_back(t); });
  size_t i = 0;
  batch_.for_each([&](const std::string&, const at::Tensor& t) { t.index_copy_(0, step_, present[i++]); });
  step_.add_(1);
}

// What truncated rows saw last moves to the next free place of the row; its value is computed once, after the rollout.
void Rollout::keep_final_observations() {
  const int64_t rows = task_.rows(), nowhere = kept_[0].size(0) - 1;
  const at::Tensor cut = now_.truncated.logical_and(now_.terminated.logical_not());
  place_now_.copy_(at::where(cut, (used_ * rows + agents_).unsqueeze(0), nowhere));
  used_.add_(cut.select(0, 0));
  for (size_t k = 0; k < kept_.size(); ++k) kept_[k].index_copy_(0, place_now_.select(0, 0), last_[k]);
  place_.index_copy_(0, step_, place_now_);
}

// Episodes still on are truncated after the last step, and worth the value of what is seen then: only those that ended were reset.
void Rollout::value_final_observations() {
  const at::Tensor cut = batch_.truncated.logical_and(batch_.terminated.logical_not());
  const at::Tensor last = batch_.active.select(0, options_.horizon - 1)
                              .logical_and(batch_.terminated.select(0, options_.horizon - 1).logical_not())
                              .logical_and(batch_.truncated.select(0, options_.horizon - 1).logical_not());
  if (options_.bootstrap_truncated) {
    if (!kept_.empty()) {
      const at::Tensor values = policy_.predict(kept_).value.index_select(0, place_.flatten()).view_as(place_);
      batch_.final_value.copy_(at::where(cut, values, 0.0));
    }
    const std::vector<at::Tensor> observation = only_step(now_.observation);
    task_.observe(observation);
    const at::Tensor final_value = batch_.final_value.select(0, options_.horizon - 1);
    final_value.copy_(at::where(last, policy_.predict(observation).value, final_value));
  }
  if (task_.continues()) goes_on_.copy_(last);
  const at::Tensor truncated = batch_.truncated.select(0, options_.horizon - 1);
  truncated.copy_(truncated.logical_or(last));
}

}  // namespace orbit

#include "src/eval/episode_evaluation.h"
#include <ATen/TensorOperators.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <c10/core/InferenceMode.h>
#include <cmath>
#include "src/common/error.h"
#include "src/report/seed_spread.h"

namespace orbit {

std::optional<EpisodeResult> EpisodeEvaluation::play(const Policy& policy, const std::function<bool()>& stop) {
  constexpr int64_t kStepsBetweenLooks = 16;  // whether any episode goes on is read back from the device so often
  c10::InferenceMode no_gradients;
  task_.restart();
  if (recurrent_) recurrent_->forget();
  Task& played = recurrent_ ? static_cast<Task&>(*recurrent_) : task_;
  const int64_t n = played.rows();
  const auto options = at::TensorOptions().device(task_.device());
  const auto flags = [&] { return at::zeros({n}, options.dtype(at::kBool)); };
  std::vector<at::Tensor> observation;
  for (const TensorSpec& s : played.observation()) {
    std::vector<int64_t> shape{n};
    shape.insert(shape.end(), s.shape.begin(), s.shape.end());
    observation.push_back(at::zeros(shape, options.dtype(s.dtype)));
  }
  const StepOutcome now{at::zeros({n}, options), flags(), flags(), at::zeros({n}, options.dtype(at::kInt))};
  at::Tensor goes_on = at::ones({n}, options.dtype(at::kBool)), terminated = flags();
  at::Tensor sum = at::zeros({n}, options.dtype(at::kDouble)), length = at::zeros({n}, options.dtype(at::kDouble));
  for (int64_t t = 0; t < kMostSteps; ++t) {
    if (t % kStepsBetweenLooks == 0) {
      if (stop()) return std::nullopt;
      if (!goes_on.any().item<bool>()) break;
    }
    played.observe(observation);
    const ActionChoice choice = policy.predict(observation).actions->greedy();
    played.step(choice.action, now, {});
    sum += now.reward * goes_on;
    length += goes_on;
    terminated.logical_or_(now.terminated.logical_and(goes_on));
    goes_on.logical_and_(now.terminated.logical_or(now.truncated).logical_not());
  }
  if (const std::vector<std::string> faults = task_.faults(); !faults.empty()) throw RunError("in evaluation: " + faults[0]);
  const double deviation = n > 1 ? sum.std().item<double>() : 0.0;
  return EpisodeResult{n, sum.mean().item<double>(), mean_half_width(deviation, size_t(n)), length.mean().item<double>(),
                       terminated.sum().item<double>() / double(n)};
}

}  // namespace orbit

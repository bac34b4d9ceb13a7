#include "src/recurrent_task.h"
#include <ATen/TensorOperators.h>
#include <ATen/ops/logical_or.h>
#include <ATen/ops/ones.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

namespace orbit {

RecurrentTask::RecurrentTask(Task& task, int64_t width) : task_(task) {
  const auto options = at::TensorOptions().device(task.device());
  memory_ = at::zeros({task.rows(), width}, options);
  begins_ = at::ones({task.rows()}, options.dtype(at::kBool));
}

std::vector<TensorSpec> RecurrentTask::seen(std::vector<TensorSpec> all, int64_t width) {
  all.push_back({"memory", {width}, at::kFloat, "", /*as_it_is=*/true});
  all.push_back({"begins", {}, at::kBool, ""});
  return all;
}

std::vector<TensorSpec> RecurrentTask::action() const {
  std::vector<TensorSpec> all = task_.action();
  all.push_back({"memory", {memory_.size(1)}, at::kFloat, ""});
  return all;
}

void RecurrentTask::forget() {
  memory_.zero_();
  begins_.fill_(true);
}

void RecurrentTask::begin_rollout() {
  task_.begin_rollout();
  if (!task_.continues()) forget();
}

void RecurrentTask::observe(at::TensorList out) {
  task_.observe(out.slice(0, out.size() - 2));
  out[out.size() - 2].copy_(memory_);
  out[out.size() - 1].copy_(begins_);
}

// The last observation of an episode goes with the memory that the step left; what begins then has none.
void RecurrentTask::step(at::TensorList action, const StepOutcome& out, at::TensorList last) {
  task_.step(action.slice(0, action.size() - 1), out, last.empty() ? last : last.slice(0, last.size() - 2));
  const at::Tensor& next = action.back();
  if (!last.empty()) {
    last[last.size() - 2].copy_(next);
    last[last.size() - 1].zero_();
  }
  begins_.copy_(at::logical_or(out.terminated, out.truncated));
  memory_.copy_(at::where(begins_.unsqueeze(1), 0.0, next));
}

}  // namespace orbit

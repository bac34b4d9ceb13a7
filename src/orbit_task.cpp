#include "src/orbit_task.h"

namespace orbit {

std::vector<TensorSpec> OrbitTask::seen() {
  const int64_t p = kFeatureSlots;
  return {{"planets", {p, kPlanetFeatures}, at::kFloat, "valid"}, {"globals", {kGlobalFeatures}, at::kFloat, ""},
          {"valid", {p}, at::kBool, ""}, {"mine", {p}, at::kBool, ""}};
}

std::vector<TensorSpec> OrbitTask::decided() {
  return {{"target", {kFeatureSlots}, at::kInt, ""}, {"x", {kFeatureSlots}, at::kFloat, ""}};
}

void OrbitTask::observe(at::TensorList out) {
  env_.observe(seating_.own, {by_environment(out[0]), by_environment(out[1]), by_environment(out[2]), by_environment(out[3])});
}

void OrbitTask::active(const at::Tensor& out) { by_environment(out).copy_(env_.running().unsqueeze(1)); }

void OrbitTask::step(at::TensorList action, const StepOutcome& out, at::TensorList) {
  env_.order(seating_.own, by_environment(action[0]), by_environment(action[1]));
  if (opponent_) opponent_->act(env_, seating_.others);
  env_.step(seating_.own, {by_environment(out.reward), by_environment(out.terminated), by_environment(out.outcome)});
  if (auto_reset_) env_.restart_finished();
}

}  // namespace orbit

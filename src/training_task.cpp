#include "src/training_task.h"
#include <ATen/core/grad_mode.h>
#include "src/orbit_training.h"
#include "src/small_env_training.h"

namespace orbit {

void TrainingTask::restore(const std::vector<NamedTensor>& saved) {
  at::NoGradGuard no_gradients;
  const std::vector<NamedTensor> now = state();
  for (size_t i = 0; i < now.size(); ++i) now[i].second.copy_(saved[i].second);
}

std::vector<NamedTensor> copies_of(const std::vector<NamedTensor>& tensors) {
  std::vector<NamedTensor> copies;
  for (const auto& [name, t] : tensors) copies.emplace_back(name, t.detach().clone());
  return copies;
}

std::unique_ptr<TrainingTask> make_training_task(const Config& config) {
  if (config.environment.name == kOrbitWars) return std::make_unique<OrbitTraining>(config);
  return std::make_unique<SmallEnvTraining>(config);
}

}  // namespace orbit

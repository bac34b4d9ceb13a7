// Small environments as operators: arguments are checked, then the environment's own loop or kernel runs.
#include <torch/library.h>
#include "extensions/checks.h"
#include "extensions/env_batch.h"
#include "extensions/env_registry.h"
#include "extensions/share_out.h"
#if defined(ORBIT_WITH_CUDA)
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace orbit {
namespace {

using Given = std::optional<at::Tensor>;

const EnvFunctions& functions(const EnvTable& env, at::TensorList batch) {
  return batch[kEnvReal].scalar_type() == at::kDouble ? env.in_double : env.in_float;
}

// cpu(begin, end) for all environments, shared out, or launch(stream).
template <class Cpu, class Launch>
void run(const EnvTable& env, at::TensorList batch, const Cpu& cpu, [[maybe_unused]] bool has_kernel,
         [[maybe_unused]] const Launch& launch) {
  const at::Tensor& real = batch[kEnvReal];
  if (real.is_meta()) return;
  if (real.is_cpu()) return share_out(real.size(1), kEnvsPerTask, cpu);
#if defined(ORBIT_WITH_CUDA)
  TORCH_CHECK(has_kernel, env.name, ": its library was built without CUDA kernels");
  C10_CUDA_CHECK(cudaError_t(launch(c10::cuda::getCurrentCUDAStream().stream())));
#else
  TORCH_CHECK(false, env.name, ": this build has no CUDA kernels");
#endif
}

void env_reset_(c10::string_view name, at::TensorList batch, int64_t seed, int64_t first, const Given& given) {
  const EnvTable& env = find_env(std::string(name));
  const EnvBatchView v = env_batch_view(env, batch, seed, first, -1, given);
  const EnvFunctions& f = functions(env, batch);
  run(env, batch, [&](int64_t begin, int64_t end) { f.reset(v, begin, end); }, f.launch_reset != nullptr,
      [&](void* stream) { return f.launch_reset(v, stream); });
}

void env_step_(c10::string_view name, at::TensorList batch, const at::Tensor& action, int64_t seed, int64_t first, int64_t time_limit,
               const Given& given) {
  const EnvTable& env = find_env(std::string(name));
  const EnvBatchView v = env_batch_view(env, batch, seed, first, time_limit, given);
  const bool whole = env.action_kind != ActionKind::kContinuous;
  check_tensor(action, "action", whole ? at::kLong : at::kFloat, {v.count, env.action_size}, batch[kEnvReal].device());
  const void* a = action.is_meta() ? nullptr : action.const_data_ptr();
  const EnvFunctions& f = functions(env, batch);
  run(env, batch, [&](int64_t begin, int64_t end) { f.step(v, a, begin, end); }, f.launch_step != nullptr,
      [&](void* stream) { return f.launch_step(v, a, stream); });
}

void env_observe_(c10::string_view name, at::TensorList batch) {
  const EnvTable& env = find_env(std::string(name));
  const EnvBatchView v = env_batch_view(env, batch, 0, 0, -1, {});
  const EnvFunctions& f = functions(env, batch);
  run(env, batch, [&](int64_t begin, int64_t end) { f.observe(v, begin, end); }, f.launch_observe != nullptr,
      [&](void* stream) { return f.launch_observe(v, stream); });
}

void register_on(torch::Library& m) {
  m.impl("env_reset_", env_reset_);
  m.impl("env_step_", env_step_);
  m.impl("env_observe_", env_observe_);
}

}  // namespace
}  // namespace orbit

TORCH_LIBRARY_IMPL(orbit, CPU, m) { orbit::register_on(m); }
TORCH_LIBRARY_IMPL(orbit, Meta, m) { orbit::register_on(m); }
#if defined(ORBIT_WITH_CUDA)
TORCH_LIBRARY_IMPL(orbit, CUDA, m) { orbit::register_on(m); }
#endif

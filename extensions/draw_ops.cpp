// Random numbers for actions as an operator; the arithmetic is in draws.h.
#include <torch/library.h>
#include "extensions/checks.h"
#include "extensions/launch.h"
#include "extensions/share_out.h"
#if defined(ORBIT_WITH_CUDA)
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace orbit {
namespace {
void action_draws_(int64_t seed, int64_t stream, const at::Tensor& agent, const at::Tensor& step, at::Tensor uniform, at::Tensor normal) {
  const at::Device device = agent.device();
  check_tensor(agent, "agent", at::kLong, {-1}, device);
  check_tensor(step, "step", at::kLong, {}, device);
  check_tensor(uniform, "uniform", at::kDouble, {agent.size(0), -1}, device);
  check_tensor(normal, "normal", at::kDouble, {agent.size(0), uniform.size(1)}, device);
  const DrawsView view{uint64_t(seed),  Stream(stream),                read_pointer<int64_t>(agent), read_pointer<int64_t>(step),
                       uniform.size(1), write_pointer<double>(uniform), write_pointer<double>(normal)};
  if (agent.is_meta()) return;
  if (agent.is_cpu()) {
    share_out(uniform.numel(), 1024, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) fill_draw(view, i);
    });
    return;
  }
#if defined(ORBIT_WITH_CUDA)
  C10_CUDA_CHECK(cudaError_t(launch_action_draws(view, uniform.numel(), c10::cuda::getCurrentCUDAStream().stream())));
#endif
}
}  // namespace
}  // namespace orbit

TORCH_LIBRARY_IMPL(orbit, CPU, m) { m.impl("action_draws_", orbit::action_draws_); }
TORCH_LIBRARY_IMPL(orbit, Meta, m) { m.impl("action_draws_", orbit::action_draws_); }
#if defined(ORBIT_WITH_CUDA)
TORCH_LIBRARY_IMPL(orbit, CUDA, m) { m.impl("action_draws_", orbit::action_draws_); }
#endif

// Advantages of a rollout as an operator; the arithmetic is in gae.h.
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
void gae_(const at::Tensor& reward, const at::Tensor& value, const at::Tensor& final_value, const at::Tensor& terminated,
          const at::Tensor& truncated, double gamma, double lambda, at::Tensor advantage, at::Tensor ret) {
  const at::Device device = reward.device();
  check_tensor(reward, "reward", at::kFloat, {-1, -1}, device);
  const int64_t steps = reward.size(0), rows = reward.size(1);
  check_tensor(value, "value", at::kFloat, {steps, rows}, device);
  check_tensor(final_value, "final_value", at::kFloat, {steps, rows}, device);
  check_tensor(terminated, "terminated", at::kBool, {steps, rows}, device);
  check_tensor(truncated, "truncated", at::kBool, {steps, rows}, device);
  check_tensor(advantage, "advantage", at::kFloat, {steps, rows}, device);
  check_tensor(ret, "ret", at::kFloat, {steps, rows}, device);
  const GaeInput in{read_pointer<float>(reward),
                    read_pointer<float>(value),
                    read_pointer<float>(final_value),
                    reinterpret_cast<const uint8_t*>(read_pointer<bool>(terminated)),
                    reinterpret_cast<const uint8_t*>(read_pointer<bool>(truncated)),
                    steps,
                    rows,
                    float(gamma),
                    float(lambda)};
  float *a = write_pointer<float>(advantage), *r = write_pointer<float>(ret);
  if (reward.is_meta()) return;
  if (reward.is_cpu()) {
    share_out(rows, 16, [&](int64_t begin, int64_t end) {
      for (int64_t column = begin; column < end; ++column) gae_column(in, column, a, r);
    });
    return;
  }
#if defined(ORBIT_WITH_CUDA)
  C10_CUDA_CHECK(cudaError_t(launch_gae(in, a, r, c10::cuda::getCurrentCUDAStream().stream())));
#endif
}
}  // namespace
}  // namespace orbit

TORCH_LIBRARY_IMPL(orbit, CPU, m) { m.impl("gae_", orbit::gae_); }
TORCH_LIBRARY_IMPL(orbit, Meta, m) { m.impl("gae_", orbit::gae_); }
#if defined(ORBIT_WITH_CUDA)
TORCH_LIBRARY_IMPL(orbit, CUDA, m) { m.impl("gae_", orbit::gae_); }
#endif

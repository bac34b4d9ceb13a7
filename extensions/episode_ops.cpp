// Ends of episodes and their statistics as an operator; the rule is in episodes.h.
#include <torch/library.h>
#include "extensions/checks.h"
#include "extensions/launch.h"
#include "extensions/run_body.h"

namespace orbit {
namespace {
void track_episodes_(const at::Tensor& reward, const at::Tensor& terminated, const at::Tensor& active,
                     const std::optional<at::Tensor>& outcome, int64_t time_limit, at::Tensor length, at::Tensor ret, at::Tensor truncated,
                     at::Tensor finished, at::Tensor final_length, at::Tensor final_return, at::Tensor totals) {
  const at::Device device = reward.device();
  check_tensor(reward, "reward", at::kFloat, {-1, -1}, device);
  const int64_t n = reward.size(0), r = reward.size(1);
  check_tensor(terminated, "terminated", at::kBool, {n, r}, device);
  check_tensor(active, "active", at::kBool, {n}, device);
  if (outcome) check_tensor(*outcome, "outcome", at::kInt, {n, r}, device);
  TORCH_CHECK(time_limit >= 0 && time_limit < INT32_MAX, "time_limit: expected 0 (never) to ", INT32_MAX - 1, " steps, found ", time_limit);
  check_tensor(length, "length", at::kInt, {n}, device);
  check_tensor(ret, "ret", at::kFloat, {n, r}, device);
  check_tensor(truncated, "truncated", at::kBool, {n, r}, device);
  check_tensor(finished, "finished", at::kBool, {n}, device);
  check_tensor(final_length, "final_length", at::kInt, {n}, device);
  check_tensor(final_return, "final_return", at::kFloat, {n, r}, device);
  check_tensor(totals, "totals", at::kDouble, {n, r, kEpisodeTotals}, device);
  const EpisodesView view{read_pointer<float>(reward),
                          read_pointer<bool>(terminated),
                          read_pointer<bool>(active),
                          outcome ? read_pointer<int32_t>(*outcome) : nullptr,
                          int32_t(r),
                          int32_t(time_limit),
                          write_pointer<int32_t>(length),
                          write_pointer<float>(ret),
                          write_pointer<bool>(truncated),
                          write_pointer<bool>(finished),
                          write_pointer<int32_t>(final_length),
                          write_pointer<float>(final_return),
                          write_pointer<double>(totals)};
  if (reward.is_meta()) return;
  if (reward.is_cpu()) {
    for (int64_t env = 0; env < n; ++env) track_episode(view, env);
    return;
  }
#if defined(ORBIT_WITH_CUDA)
  C10_CUDA_CHECK(cudaError_t(launch_track_episodes(view, n, c10::cuda::getCurrentCUDAStream().stream())));
#endif
}
}  // namespace
}  // namespace orbit

TORCH_LIBRARY_IMPL(orbit, CPU, m) { m.impl("track_episodes_", orbit::track_episodes_); }
TORCH_LIBRARY_IMPL(orbit, Meta, m) { m.impl("track_episodes_", orbit::track_episodes_); }
#if defined(ORBIT_WITH_CUDA)
TORCH_LIBRARY_IMPL(orbit, CUDA, m) { m.impl("track_episodes_", orbit::track_episodes_); }
#endif

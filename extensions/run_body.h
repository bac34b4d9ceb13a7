// Runs an operator's body over all environments on the device where its tensors are. The CPU shares environments out to
// threads; results do not depend on their number, since an environment is never split.
#pragma once
#include <ATen/core/Tensor.h>
#include <atomic>
#include <type_traits>
#include "envs/common/lanes.h"
#include "envs/orbit_wars/state_check.h"
#include "extensions/share_out.h"
#if defined(ORBIT_WITH_CUDA)
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace orbit {

// So many environments take about two microseconds, what a part of a loop should: shorter ones cost more to claim, longer ones leave
// threads idle at the end. A body that takes little time names its own number.
template <class Body>
constexpr int64_t environments_per_task() {
  if constexpr (requires { Body::kEnvironmentsPerTask; }) return Body::kEnvironmentsPerTask;
  else return 2;
}
constexpr int64_t kTasksWorthWaking = 16;  // for fewer no thread is woken; one that is awake helps
constexpr int64_t kPrefetchFrom = 256;  // fewer environments stay in a core's own cache from turn to turn

template <class Body>
void run_on_cpu(const Body& body, int64_t count) {
  std::atomic<int64_t> first{INT64_MAX};  // environment and fault, of the first environment that has one
  const auto some = [&](int64_t begin, int64_t end) {
    typename Body::Scratch scratch;
    for (int64_t env = begin; env < end; ++env) {
      if constexpr (requires { body.prefetch_inputs(env); })
        if (count >= kPrefetchFrom && env + 1 < end) body.prefetch_inputs(env + 1);
      if (const uint32_t faults = body(Serial{}, env, scratch)) {
        const int64_t found = env * 32 + first_bit(faults);
        for (int64_t known = first; found < known && !first.compare_exchange_weak(known, found);) {
        }
      }
    }
  };
  share_out(count, environments_per_task<Body>(), some, kTasksWorthWaking * environments_per_task<Body>());
  const int64_t found = first;
  TORCH_CHECK(found == INT64_MAX, "environment ", found / 32, ": ", kStateFaultNames[found % 32],
              " is out of range; it stays as it is until a reset");
}

// launch is nullptr in a build without CUDA, so it takes no part in deducing Body.
template <class Body>
void run_body(const Body& body, const at::Tensor& where,
              [[maybe_unused]] std::type_identity_t<int (*)(const Body&, void*)> launch) {
  if (where.is_meta()) return;
  if (where.is_cpu()) return run_on_cpu(body, body.batch.count);
#if defined(ORBIT_WITH_CUDA)
  C10_CUDA_CHECK(cudaError_t(launch(body, c10::cuda::getCurrentCUDAStream().stream())));
#else
  TORCH_CHECK(false, "this build has no CUDA kernels");
#endif
}

}  // namespace orbit

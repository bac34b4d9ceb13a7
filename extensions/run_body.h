// Runs an operator's body over all environments on the device where its tensors are. The CPU shares environments out over
// Torch's own threads; results do not depend on their number, since an environment is never split.
#pragma once
#include <ATen/Parallel.h>
#include <ATen/core/Tensor.h>
#include <type_traits>
#include "envs/common/lanes.h"
#if defined(ORBIT_WITH_CUDA)
#include <c10/cuda/CUDAException.h>
#include <c10/cuda/CUDAStream.h>
#endif

namespace orbit {

constexpr int64_t kEnvironmentsPerTask = 4;  // below this a second thread costs more than it saves

template <class Body>
void run_on_cpu(const Body& body, int64_t count) {
  at::parallel_for(0, count, kEnvironmentsPerTask, [&](int64_t begin, int64_t end) {
    typename Body::Scratch scratch;
    for (int64_t env = begin; env < end; ++env) body(Serial{}, env, scratch);
  });
}

// launch is nullptr in a build without CUDA, so it takes no part in deducing Body.
template <class Body>
void run_body(const Body& body, const at::Tensor& where,
              [[maybe_unused]] std::type_identity_t<int (*)(const Body&, void*)> launch) {
  if (where.is_cpu()) return run_on_cpu(body, body.batch.count);
#if defined(ORBIT_WITH_CUDA)
  C10_CUDA_CHECK(cudaError_t(launch(body, c10::cuda::getCurrentCUDAStream().stream())));
#else
  TORCH_CHECK(false, "this build has no CUDA kernels");
#endif
}

}  // namespace orbit

// Launchers of one small environment's CUDA kernels, defined by env_kernels.h in a .cu file. `stream` is a cudaStream_t; each
// returns a cudaError_t.
#pragma once
#include "extensions/env_table.h"

namespace orbit {

template <template <class> class Env, class Real>
struct EnvLaunch {
  static int reset(const EnvBatchView& batch, void* stream);
  static int step(const EnvBatchView& batch, const void* action, void* stream);
  static int observe(const EnvBatchView& batch, void* stream);
};

}  // namespace orbit

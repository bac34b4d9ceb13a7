// CUDA side of a small environment: one thread per environment runs the bodies that the CPU loops run. For .cu files alone:
//
//   #include "extensions/env_kernels.h"
//   #include "my_env.h"
//   ORBIT_ENVIRONMENT_KERNELS(orbit::MyEnv)
#pragma once
#include <cuda_runtime.h>
#include "extensions/env_bodies.h"
#include "extensions/env_launch.h"

namespace orbit {

constexpr int kEnvThreads = 128;

template <template <class> class Env, class Real>
__global__ void __launch_bounds__(kEnvThreads) env_reset_kernel(const EnvBatchView v) {
  const int64_t env = int64_t(blockIdx.x) * kEnvThreads + threadIdx.x;
  if (env >= v.count) return;
  EnvBodies<Env, Real>::reset_one(v, env);
  EnvBodies<Env, Real>::observe_one(v, env);
}

template <template <class> class Env, class Real>
__global__ void __launch_bounds__(kEnvThreads) env_step_kernel(const EnvBatchView v, const void* action) {
  const int64_t env = int64_t(blockIdx.x) * kEnvThreads + threadIdx.x;
  if (env >= v.count) return;
  EnvBodies<Env, Real>::advance_one(v, action, env);
  if (v.terminated[env] | v.truncated[env]) EnvBodies<Env, Real>::end_one(v, env);
  EnvBodies<Env, Real>::observe_one(v, env);
}

template <template <class> class Env, class Real>
__global__ void __launch_bounds__(kEnvThreads) env_observe_kernel(const EnvBatchView v) {
  const int64_t env = int64_t(blockIdx.x) * kEnvThreads + threadIdx.x;
  if (env < v.count) EnvBodies<Env, Real>::observe_one(v, env);
}

inline unsigned env_blocks(int64_t count) { return unsigned((count + kEnvThreads - 1) / kEnvThreads); }

template <template <class> class Env, class Real>
int EnvLaunch<Env, Real>::reset(const EnvBatchView& v, void* stream) {
  if (v.count == 0) return 0;
  env_reset_kernel<Env, Real><<<env_blocks(v.count), kEnvThreads, 0, static_cast<cudaStream_t>(stream)>>>(v);
  return int(cudaGetLastError());
}
template <template <class> class Env, class Real>
int EnvLaunch<Env, Real>::step(const EnvBatchView& v, const void* action, void* stream) {
  if (v.count == 0) return 0;
  env_step_kernel<Env, Real><<<env_blocks(v.count), kEnvThreads, 0, static_cast<cudaStream_t>(stream)>>>(v, action);
  return int(cudaGetLastError());
}
template <template <class> class Env, class Real>
int EnvLaunch<Env, Real>::observe(const EnvBatchView& v, void* stream) {
  if (v.count == 0) return 0;
  env_observe_kernel<Env, Real><<<env_blocks(v.count), kEnvThreads, 0, static_cast<cudaStream_t>(stream)>>>(v);
  return int(cudaGetLastError());
}

}  // namespace orbit

#define ORBIT_ENVIRONMENT_KERNELS(...)               \
  template struct orbit::EnvLaunch<__VA_ARGS__, float>; \
  template struct orbit::EnvLaunch<__VA_ARGS__, double>;

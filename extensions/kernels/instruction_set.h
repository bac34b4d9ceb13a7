// Which of the compiled instruction sets (cmake/OrbitKernels.cmake) this machine can run.
#pragma once

namespace orbit {

// x86-64-v4.
inline bool has_avx512() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512cd");
#else
  return false;
#endif
}

}  // namespace orbit

// Loops of small networks, compiled for several instruction sets and chosen when the library is loaded. Within one set results
// depend on nothing but the arguments; between two they differ by rounding.
#pragma once
#include <vector>
#include "extensions/mlp/mlp_net.h"
#include "extensions/mlp/policy_head.h"

namespace orbit {

struct PpoCoefficients;
struct PpoTile;

// See mlp_rows.h and ppo_head.h.
struct MlpKernels {
  const char* name;
  void (*pack)(const MlpNet&, bool with_backward, float* packed);
  void (*forward)(const MlpNet&, const float* packed, const float* x, int64_t ldx, int64_t rows, float* tile);
  void (*backward)(const MlpNet&, const float* packed, const float* x, int64_t ldx, int64_t rows, float* tile, float* gradient);
  void (*unpack_gradient)(const MlpNet&, const float* gradient);
  void (*ppo_head)(const PolicyHead&, const PpoCoefficients&, const PpoTile&, int64_t rows, double* terms, float* d_log_std);
};

const MlpKernels& mlp_kernels();                        // those in use: at first the fastest that this machine can run
std::vector<const MlpKernels*> runnable_mlp_kernels();  // all that it can, the fastest last
void use_mlp_kernels(const MlpKernels& set);            // for tests; not while a network is at work

}  // namespace orbit

#include "extensions/kernels/instruction_set.h"
#include "extensions/mlp/mlp_kernels.h"

namespace orbit {
namespace baseline { extern const MlpKernels mlp_kernel_set; }
#ifdef ORBIT_AVX512_KERNELS
namespace avx512 { extern const MlpKernels mlp_kernel_set; }
#endif

std::vector<const MlpKernels*> runnable_mlp_kernels() {
  std::vector<const MlpKernels*> sets{&baseline::mlp_kernel_set};
#ifdef ORBIT_AVX512_KERNELS
  if (has_avx512()) sets.push_back(&avx512::mlp_kernel_set);
#endif
  return sets;
}

namespace {
const MlpKernels*& in_use() {
  static const MlpKernels* set = runnable_mlp_kernels().back();
  return set;
}
}  // namespace

const MlpKernels& mlp_kernels() { return *in_use(); }
void use_mlp_kernels(const MlpKernels& set) { in_use() = &set; }

}  // namespace orbit

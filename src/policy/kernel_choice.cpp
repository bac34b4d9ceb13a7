#include "src/policy/kernels/kernels.h"
#include "extensions/kernels/instruction_set.h"

namespace orbit {
namespace baseline { extern const Kernels kernel_set; }
#ifdef ORBIT_AVX512_KERNELS
namespace avx512 { extern const Kernels kernel_set; }
#endif

std::vector<const Kernels*> runnable_kernels() {
  std::vector<const Kernels*> sets{&baseline::kernel_set};
#ifdef ORBIT_AVX512_KERNELS
  if (has_avx512()) sets.push_back(&avx512::kernel_set);
#endif
  return sets;
}

namespace {
const Kernels*& in_use() {
  static const Kernels* set = runnable_kernels().back();
  return set;
}
}  // namespace

const Kernels& kernels() { return *in_use(); }
void use_kernels(const Kernels& set) { in_use() = &set; }

}  // namespace orbit

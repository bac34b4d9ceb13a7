// One instruction set's table; compiled once for each (cmake/OrbitKernels.cmake). kernel_choice.cpp takes one.
#include "extensions/mlp/mlp_kernels.h"
#include "extensions/mlp/mlp_rows.h"
#include "extensions/mlp/ppo_head.h"

#define ORBIT_TEXT_OF(name) #name
#define ORBIT_TEXT(name) ORBIT_TEXT_OF(name)

namespace orbit {
inline namespace ORBIT_KERNEL_SET {

extern const MlpKernels mlp_kernel_set;
const MlpKernels mlp_kernel_set = {ORBIT_TEXT(ORBIT_KERNEL_SET), mlp_pack, mlp_forward, mlp_backward, mlp_unpack_gradient, ppo_head};

}  // namespace ORBIT_KERNEL_SET
}  // namespace orbit

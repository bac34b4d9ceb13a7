// One instruction set's table; compiled once for each (src/CMakeLists.txt). kernel_choice.cpp takes one when the program runs.
#include "src/policy/kernels/attention.h"
#include "src/policy/kernels/norm_rows.h"

#define ORBIT_TEXT_OF(name) #name
#define ORBIT_TEXT(name) ORBIT_TEXT_OF(name)

namespace orbit {
inline namespace ORBIT_KERNEL_SET {

extern const Kernels kernel_set;
const Kernels kernel_set = {
    ORBIT_TEXT(ORBIT_KERNEL_SET), attend_shared, attend_shared_backward, attend_own, attend_own_backward, normalise,
    normalise_backward, add_bias_relu, relu_backward, scale_shift, add_rows,
};

}  // namespace ORBIT_KERNEL_SET
}  // namespace orbit

// What stands between the layers of small networks.
#pragma once
#include <ATen/core/Tensor.h>

namespace orbit {

enum class Activation { kTanh, kRelu };
at::Tensor activate(Activation activation, const at::Tensor& x);

}  // namespace orbit

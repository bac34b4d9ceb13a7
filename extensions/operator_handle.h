// A registered operator as a typed function that goes through the dispatcher.
#pragma once
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

namespace orbit::ops {

template <class Signature>
auto find(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<Signature>();
}

// Of signatures.
using T = const at::Tensor&;
using List = at::TensorList;
using Out = at::Tensor;

}  // namespace orbit::ops

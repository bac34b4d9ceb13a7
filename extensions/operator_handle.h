// A registered operator as a typed function that goes through the dispatcher.
#pragma once
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/Tensor.h>
#include <ATen/core/dispatch/Dispatcher.h>

namespace orbit::ops {

template <class Signature>
class Operator;

// Below autograd: none of our operators is differentiable through it, and its fallback would box every argument of every call.
template <class... Arguments>
class Operator<void(Arguments...)> {
 public:
  explicit Operator(const char* name) : handle_(c10::Dispatcher::singleton().findSchemaOrThrow(name, "").typed<void(Arguments...)>()) {}
  void call(Arguments... arguments) const {
    const at::AutoDispatchBelowAutograd no_boxing;
    handle_.call(std::forward<Arguments>(arguments)...);
  }

 private:
  c10::TypedOperatorHandle<void(Arguments...)> handle_;
};

template <class Signature>
Operator<Signature> find(const char* name) { return Operator<Signature>(name); }

// Of signatures.
using T = const at::Tensor&;
using List = at::TensorList;
using Out = at::Tensor;

}  // namespace orbit::ops

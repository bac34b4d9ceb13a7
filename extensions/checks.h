// Checks of tensors at the border of the operators: each names the argument, what was expected and what was found.
#pragma once
#include <ATen/core/Tensor.h>
#include <c10/util/Exception.h>
#include <string>

namespace orbit {

// A tensor of this dtype and shape, contiguous, on this device. -1 in the shape stands for any size.
inline void check_tensor(const at::Tensor& t, const char* name, at::ScalarType dtype, at::IntArrayRef shape, at::Device device) {
  TORCH_CHECK(t.defined(), name, ": expected a tensor, found none");
  TORCH_CHECK(t.scalar_type() == dtype, name, ": expected dtype ", dtype, ", found ", t.scalar_type());
  TORCH_CHECK(t.device() == device, name, ": expected device ", device, ", found ", t.device());
  bool fits = t.dim() == int64_t(shape.size());
  for (size_t i = 0; fits && i < shape.size(); ++i) fits = shape[i] < 0 || t.size(i) == shape[i];
  TORCH_CHECK(fits, name, ": expected shape ", shape, " (-1: any), found ", t.sizes());
  TORCH_CHECK(t.is_contiguous(), name, ": expected a contiguous tensor, found strides ", t.strides());
}

// Pointers of checked tensors. Meta tensors, which have shapes alone, pass the same checks and give none.
template <class T>
const T* read_pointer(const at::Tensor& t) {
  return t.is_meta() ? nullptr : t.const_data_ptr<T>();
}
template <class T>
T* write_pointer(const at::Tensor& t) {
  return t.is_meta() ? nullptr : t.mutable_data_ptr<T>();
}

}  // namespace orbit

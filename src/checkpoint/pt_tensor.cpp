#include "src/checkpoint/pt_tensor.h"
#include <ATen/ops/from_blob.h>
#include "src/checkpoint/zip_archive.h"
#include "src/common/error.h"

namespace orbit {
namespace {
static_assert(int(DType::kFloat32) == int(at::kFloat) && int(DType::kBool) == int(at::kBool) &&
              int(DType::kBFloat16) == int(at::kBFloat16) && int(DType::kComplex128) == int(at::kComplexDouble) &&
              int(DType::kFloat8E4M3FNUZ) == int(at::kFloat8_e4m3fnuz) && int(DType::kUInt64) == int(at::kUInt64) &&
              int(DType::kFloat8E8M0FNU) == int(at::kFloat8_e8m0fnu) &&
              int(DType::kFloat4E2M1FNx2) == int(at::kFloat4_e2m1fn_x2));
}  // namespace

at::Tensor to_tensor(const PtValue& value) {
  const TensorView& view = value.as_tensor_view();
  const Storage& storage = *view.storage;
  storage.verify();
  const DTypeInfo& type = dtype_info(view.dtype);
  const auto options = at::TensorOptions().dtype(at::ScalarType(view.dtype));
  // Writing to it is allowed: the mapping is private, other memory is the reader's own copy or a tensor's.
  auto* data = const_cast<uint8_t*>(storage.bytes.data());
  const int64_t offset = view.numel() == 0 ? 0 : view.offset * type.size;
  return at::from_blob(data + offset, view.sizes, view.strides, [owner = storage.owner](void*) {}, options);
}

PtValue from_tensor(const at::Tensor& tensor) {
  if (!tensor.defined()) return {};
  const auto kept = std::make_shared<at::Tensor>(tensor.detach().cpu().resolve_conj().resolve_neg());
  TensorView view;
  view.dtype = DType(kept->scalar_type());
  dtype_info(view.dtype);
  view.sizes = kept->sizes().vec();
  view.strides = kept->strides().vec();
  view.offset = kept->storage_offset();
  view.requires_grad = tensor.requires_grad() && tensor.is_leaf();
  const auto* data = static_cast<const uint8_t*>(kept->storage().data());
  view.storage = std::make_shared<Storage>(Storage{{data, kept->storage().nbytes()}, kept, 0, "a tensor in memory"});
  return view;
}

}  // namespace orbit

// The element types a file can hold, without Torch. The numbers are c10::ScalarType's, which PyTorch never renumbers.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace orbit {

enum class DType : int8_t {
  kUInt8 = 0, kInt8 = 1, kInt16 = 2, kInt32 = 3, kInt64 = 4, kFloat16 = 5, kFloat32 = 6, kFloat64 = 7,
  kComplex32 = 8, kComplex64 = 9, kComplex128 = 10, kBool = 11, kBFloat16 = 15,
  kFloat8E5M2 = 23, kFloat8E4M3FN = 24, kFloat8E5M2FNUZ = 25, kFloat8E4M3FNUZ = 26,
  kUInt16 = 27, kUInt32 = 28, kUInt64 = 29, kFloat8E8M0FNU = 44, kFloat4E2M1FNx2 = 45,
};

struct DTypeInfo {
  DType dtype;
  std::string_view name;         // as in torch.float32
  std::string_view storage;      // the class of its storage in a pickle; empty: UntypedStorage with _rebuild_tensor_v3
  std::string_view safetensors;  // its name there; empty: none
  uint8_t size;                  // bytes of an element
  uint8_t swap;                  // bytes of what changes order in a big-endian file: half an element for complex types
};

const DTypeInfo& dtype_info(DType dtype);
std::optional<DType> dtype_by_name(std::string_view name);                // "float32"
std::optional<DType> dtype_by_storage(std::string_view storage_class);    // "FloatStorage", quantised ones as their integers
std::optional<DType> dtype_by_safetensors(std::string_view name);         // "F32"

}  // namespace orbit

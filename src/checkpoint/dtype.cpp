#include "src/checkpoint/dtype.h"
#include <array>
#include <string>
#include "src/common/error.h"

namespace orbit {
namespace {
constexpr std::array<DTypeInfo, 27> kTypes = {{
    {DType::kFloat32, "float32", "FloatStorage", "F32", 4, 4},
    {DType::kFloat64, "float64", "DoubleStorage", "F64", 8, 8},
    {DType::kFloat16, "float16", "HalfStorage", "F16", 2, 2},
    {DType::kBFloat16, "bfloat16", "BFloat16Storage", "BF16", 2, 2},
    {DType::kInt64, "int64", "LongStorage", "I64", 8, 8},
    {DType::kInt32, "int32", "IntStorage", "I32", 4, 4},
    {DType::kInt16, "int16", "ShortStorage", "I16", 2, 2},
    {DType::kInt8, "int8", "CharStorage", "I8", 1, 1},
    {DType::kUInt8, "uint8", "ByteStorage", "U8", 1, 1},
    {DType::kBool, "bool", "BoolStorage", "BOOL", 1, 1},
    {DType::kComplex64, "complex64", "ComplexFloatStorage", "C64", 8, 4},
    {DType::kComplex128, "complex128", "ComplexDoubleStorage", "", 16, 8},
    {DType::kComplex32, "complex32", "", "", 4, 2},
    {DType::kUInt16, "uint16", "", "U16", 2, 2},
    {DType::kUInt32, "uint32", "", "U32", 4, 4},
    {DType::kUInt64, "uint64", "", "U64", 8, 8},
    {DType::kFloat8E4M3FN, "float8_e4m3fn", "", "F8_E4M3", 1, 1},
    {DType::kFloat8E5M2, "float8_e5m2", "", "F8_E5M2", 1, 1},
    {DType::kFloat8E4M3FNUZ, "float8_e4m3fnuz", "", "", 1, 1},
    {DType::kFloat8E5M2FNUZ, "float8_e5m2fnuz", "", "", 1, 1},
    {DType::kFloat8E8M0FNU, "float8_e8m0fnu", "", "F8_E8M0", 1, 1},
    {DType::kFloat4E2M1FNx2, "float4_e2m1fn_x2", "", "", 1, 1},
    // Storages of quantised tensors, which come apart into their integers; found by storage class alone.
    {DType::kInt8, "", "QInt8Storage", "", 1, 1},
    {DType::kUInt8, "", "QUInt8Storage", "", 1, 1},
    {DType::kInt32, "", "QInt32Storage", "", 4, 4},
    {DType::kUInt8, "", "QUInt4x2Storage", "", 1, 1},
    {DType::kUInt8, "", "QUInt2x4Storage", "", 1, 1},
}};

std::optional<DType> find(std::string_view DTypeInfo::* field, std::string_view name) {
  if (name.empty()) return std::nullopt;
  for (const DTypeInfo& type : kTypes) {
    if (type.*field == name) return type.dtype;
  }
  return std::nullopt;
}
}  // namespace

const DTypeInfo& dtype_info(DType dtype) {
  for (const DTypeInfo& type : kTypes) {
    if (type.dtype == dtype) return type;
  }
  throw UserError("tensors of element type " + std::to_string(int(dtype)) + " cannot be stored; convert them first");
}

std::optional<DType> dtype_by_name(std::string_view name) { return find(&DTypeInfo::name, name); }
std::optional<DType> dtype_by_storage(std::string_view storage_class) { return find(&DTypeInfo::storage, storage_class); }
std::optional<DType> dtype_by_safetensors(std::string_view name) { return find(&DTypeInfo::safetensors, name); }

}  // namespace orbit

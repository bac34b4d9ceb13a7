// A checkpoint's values as text for people and as JSON lines for programs.
#pragma once
#include <string>
#include "src/checkpoint/pt_value.h"

namespace orbit {

// A small file can unfold to a long description: what is past this many bytes is left out.
constexpr size_t kMaxDescription = size_t(64) << 20;

// An indented tree; long lists of scalars are cut.
std::string describe_as_text(const PtValue& value, size_t max_bytes = kMaxDescription);

// One object a value, containers before what is in them: name, path, kind; for tensors dtype, shape, stride, offset, bytes,
// device, requires_grad, parameter, storage (equal numbers share memory) and crc32 of the elements in row-major order.
std::string describe_as_json_lines(const PtValue& value, size_t max_bytes = kMaxDescription);

// Decimal digits of a two's complement number; hexadecimal from 256 bytes on, where decimal would take long.
std::string integer_text(const std::string& little_endian);

// The CRC-32 of the elements in row-major order, whatever the strides.
uint32_t elements_crc32(const TensorView& tensor);

}  // namespace orbit

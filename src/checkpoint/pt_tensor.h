// The border between checkpoint files and Torch: views of stored bytes become tensors, tensors become values to write.
#pragma once
#include <ATen/core/Tensor.h>
#include "src/checkpoint/pt_value.h"

namespace orbit {

// A CPU tensor over the value's bytes, without a copy. Tensors over the same storage share
// memory as in Python; what is written into them never reaches the file. Throws UserError if the value is no tensor or its
// checksum is wrong. Do not keep it longer than needed: another program that shortens the file in place would pull the memory
// away. Copy it into what is to last.
at::Tensor to_tensor(const PtValue& value);

// The tensor as a value for pt_writer.h: no copy on the CPU, so it is the tensor's contents at the time of writing that count.
PtValue from_tensor(const at::Tensor& tensor);

}  // namespace orbit

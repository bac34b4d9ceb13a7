// A file of either format: .safetensors by the end of its name, PyTorch's otherwise.
#pragma once
#include <string>
#include "src/checkpoint/pt_value.h"

namespace orbit {

PtValue read_checkpoint(const std::string& path);
void write_checkpoint(const std::string& path, const PtValue& value);

}  // namespace orbit

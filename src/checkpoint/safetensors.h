// The .safetensors format: eight bytes of length, a JSON header of dtype, shape and place by name, then the bytes.
#pragma once
#include <memory>
#include <span>
#include <string>
#include "src/checkpoint/pt_value.h"

namespace orbit {

// A dict of tensors by name. Nothing is copied but what is not aligned. Damage is a UserError.
PtValue read_safetensors(const std::string& path);

// The same over private memory that `owner` keeps alive. Throws DamagedFile.
PtValue read_safetensors_bytes(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner, const std::string& name);

// Atomic, and equal values give equal bytes. The format holds a dict of tensors and nothing else: a UserError otherwise.
void write_safetensors(const std::string& path, const PtValue& value);

}  // namespace orbit

// Reads the zip format of torch.save without Python and without running anything that is in the file.
#pragma once
#include <memory>
#include <span>
#include <string>
#include "src/checkpoint/pt_value.h"

namespace orbit {

// Maps the file and reads its structure; tensor bytes are touched only when a tensor is made from them (pt_tensor.h), and it is
// then that their checksum is compared. A file that is missing, damaged, of the format before PyTorch 1.6 or no checkpoint at
// all: one UserError line with the remedy. The mapping lives as long as a value or tensor from it does.
PtValue read_pt(const std::string& path);

// The same over private memory, which `owner` keeps alive and tensors made from the value may write to. `name` is for messages.
// Throws DamagedFile (damaged_file.h).
PtValue read_pt_bytes(std::span<const uint8_t> bytes, std::shared_ptr<const void> owner, const std::string& name);

}  // namespace orbit

// Writes files that Python's torch.load(weights_only=True) accepts: the zip format of torch.save.
#pragma once
#include <string>
#include "src/checkpoint/pt_value.h"

namespace orbit {

// Atomic (atomic_file.h). Equal values give equal bytes: no time, path or random number is in the file. Tensors that share
// memory share it in the file; like torch.save it writes the whole storage of a tensor, so clone small views of large ones.
void write_pt(const std::string& path, const PtValue& value);

}  // namespace orbit

// Writes a policy as a TorchScript file.
#pragma once
#include <string>
#include <vector>

#include "src/policy/actor_critic.h"

namespace orbit {

// `source`: the module's methods (orbit_source.h), which refer to the parameters by the names they are given with; both go into
// the file. Python's and C++'s torch.jit.load run it. Atomic.
void write_torchscript(const std::string& path, const std::string& source, const std::vector<NamedTensor>& parameters);

}  // namespace orbit

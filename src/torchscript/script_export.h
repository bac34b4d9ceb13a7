// Writes a policy as a TorchScript file.
#pragma once
#include <string>
#include <vector>

#include "src/policy/actor_critic.h"

namespace orbit {

// `source`: the module's methods, which refer to parameters and buffers by the names they have in the policy; all of it goes into the
// file. Python's and C++'s torch.jit.load run it. Atomic.
void write_torchscript(const std::string& path, const std::string& source, const Policy& policy);

}  // namespace orbit

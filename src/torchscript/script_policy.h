// A TorchScript file as a policy to play against.
#pragma once
#include <memory>
#include <string>

#include "src/policy/orbit_policy.h"

namespace orbit {

// `path`: a module whose forward has the signature in README.md, from `orbit_pack torchscript` or torch.jit.script. It acts without
// gradient; its parameters are the module's, by name. A file that is none, or another signature, is a UserError; outputs of
// other shapes are one when they come.
std::unique_ptr<OrbitPolicy> load_torchscript(const std::string& path, at::Device device = at::kCPU, Greedy greedy = Greedy::kArgmax);

}  // namespace orbit

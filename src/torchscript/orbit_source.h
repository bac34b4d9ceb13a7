// orbit_v1 as the text of a TorchScript module, over parameters of the state_dict's names.
#pragma once
#include <string>

#include "src/policy/orbit_policy.h"

namespace orbit {

// The methods, forward last. The same operators in the same order as orbit_padded.cpp, so that outputs are equal bit for bit;
// dropout is left out, since the module is for playing.
std::string orbit_script_source(const OrbitPolicyConfig& config);

}  // namespace orbit

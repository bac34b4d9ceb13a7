// The policy that a config describes as the text of a TorchScript module. README.md has the signatures.
#pragma once
#include <string>
#include "src/config/config.h"

namespace orbit {

// Throws UserError for an environment that is not there.
std::string policy_source(const Config& config);

}  // namespace orbit

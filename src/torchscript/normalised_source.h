// Observation normalisation (src/policy/normalised_policy.h) in front of the text of any module.
#pragma once
#include <string>
#include <vector>
#include "src/task.h"

namespace orbit {

// `source`: a module whose forward takes the tensors of `observation`, by these names.
std::string normalised_script_source(std::string source, const std::vector<TensorSpec>& observation);

}  // namespace orbit

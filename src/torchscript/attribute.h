// Parameters as expressions of TorchScript.
#pragma once
#include <string>

namespace orbit {

// "backbone.encoder.0.inducing" as an expression; parts that are numbers are no identifiers.
std::string attribute(const std::string& name);
// Weight and bias of a layer, as two arguments.
std::string linear_arguments(const std::string& layer);

}  // namespace orbit

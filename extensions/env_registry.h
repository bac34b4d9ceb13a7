// The small environments by name: those built in, and those of loaded libraries.
#pragma once
#include <string>
#include <vector>
#include "extensions/env_table.h"

namespace orbit {

std::vector<std::string> env_names();

// Throws c10::Error that lists the known names.
const EnvTable& find_env(const std::string& name);

// Loads a library that ORBIT_ENVIRONMENT_LIBRARY made, and returns the environment's name. It stays loaded. The same file a
// second time changes nothing. Throws c10::Error: no library, made for another version, or of a name that is taken.
std::string load_env_library(const std::string& path);

// Sizes, bounds, fields: a JSON object (with Infinity as Python writes it).
std::string describe_env(const EnvTable& env);

}  // namespace orbit

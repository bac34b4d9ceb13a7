// The small environments that are built in.
#pragma once
#include <vector>
#include "extensions/env_table.h"

namespace orbit {

std::vector<EnvTable> small_envs();

}  // namespace orbit

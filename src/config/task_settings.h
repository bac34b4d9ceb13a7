// Which settings belong to which kind of environment: one that is set for the other kind is a mistake, not a wish to be ignored.
#pragma once
#include <functional>
#include "src/config/config.h"

namespace orbit {

// Calls fail(key, what) for the first setting that the environment of the config has no use for, or that names none.
void check_task_settings(const Config& config, const std::function<void(const std::string&, const std::string&)>& fail);

}  // namespace orbit

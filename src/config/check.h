// What must hold between settings.
#pragma once
#include <functional>
#include <string>
#include "src/config/config.h"

namespace orbit {

// Throws UserError; `where` names the place of a key ("model.hidden"), for the start of the message.
void check_config(const Config& config, const std::function<std::string(const std::string&)>& where);

}  // namespace orbit

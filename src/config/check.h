// What must hold between settings.
#pragma once
#include <functional>
#include <string>
#include "src/config/config.h"

namespace orbit {

// Throws UserError; `where` names the place of a key ("model.hidden"), for the start of the message.
void check_config(const Config& config, const std::function<std::string(const std::string&)>& where);

// Is this the opponent of the run, or of a stage of its curriculum?
bool plays_against(const TrainingConfig& training, const std::string& opponent);

}  // namespace orbit

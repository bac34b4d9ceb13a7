// From a YAML file to the typed config and back.
#pragma once
#include <string>
#include <vector>
#include "src/config/config.h"

namespace orbit {

// Reads a file, then the overrides "key.path=value" (of --set) over it. Throws UserError naming file and line, or the override.
Config load_config(const std::string& path, const std::vector<std::string>& overrides = {});

// The whole config with a comment a key; load_config reads it back to the same values.
std::string to_yaml(const Config& config);

// Blocks and keys that were read but have no effect on this run, one line each.
std::vector<std::string> ignored_settings(const Config& config);

// One setting on which two configs differ, values as to_yaml writes them ("null" where absent).
struct SettingDifference {
  std::string key;  // "model.hidden"
  std::string left, right;
};
std::vector<SettingDifference> differences(const Config& left, const Config& right);

}  // namespace orbit

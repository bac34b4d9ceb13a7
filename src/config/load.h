// From a YAML file to the typed config and back.
#pragma once
#include <string>
#include <utility>
#include <vector>
#include "src/config/config.h"

namespace orbit {

// Reads a file, then the overrides "key.path=value" (of --set) over it. Throws UserError naming file and line, or the override.
Config load_config(const std::string& path, const std::vector<std::string>& overrides = {});

// The whole config with a comment a key; load_config reads it back to the same values.
std::string to_yaml(const Config& config);

// Blocks and keys that were read but have no effect on this run, one line each.
std::vector<std::string> ignored_settings(const Config& config);

// All settings in order as ("model.hidden", "192"), values as to_yaml writes them; "key=value" is an override that restores
// one. An absent section is one entry, "null".
using Settings = std::vector<std::pair<std::string, std::string>>;
Settings settings_of(const Config& config);

// What `changed` sets differently from `base` (or beyond it), as (key, base's value, changed's value).
struct SettingChange {
  std::string key, from, to;
};
std::vector<SettingChange> changes(const Settings& base, const Settings& changed);

}  // namespace orbit

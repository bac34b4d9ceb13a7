// A YAML file as a tree in which every value knows where it came from, so that a complaint can name file and line, or the
// override of the command line.
#pragma once
#include <string>
#include <utility>
#include <vector>

namespace orbit {

struct YamlValue {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  std::string where;   // "ppo.yaml:14", or the flag of an override; starts every message
  std::string text;    // of a scalar
  bool quoted = false;  // a quoted scalar is text, whatever it looks like
  std::vector<YamlValue> items;
  std::vector<std::pair<std::string, YamlValue>> entries;  // in file order

  YamlValue* find(const std::string& key);
};

// Throws UserError: unreadable file, syntax error, duplicate key, more than one document, anything but a map at the top.
YamlValue read_yaml_file(const std::string& path);

// Applies "key.path=value"; sections on the way are made.
void apply_override(YamlValue& root, const std::string& assignment);

// The text as it can stand inside a one-line message: in quotes, control characters escaped, shortened.
std::string quoted(const std::string& text);

}  // namespace orbit

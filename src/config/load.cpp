#include "src/config/load.h"
#include <algorithm>
#include <charconv>
#include <cmath>
#include "src/common/error.h"
#include "src/config/check.h"
#include "src/config/nearest.h"
#include "src/config/yaml_tree.h"

namespace orbit {
namespace {

using Kind = YamlValue::Kind;

std::string number_text(double value) {
  char buffer[32];
  const bool whole = value == std::floor(value) && std::abs(value) < 1e16;  // 100000, not 1e+05
  const auto end = whole ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<int64_t>(value))
                         : std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end.ptr};
}

std::string range_text(const Range& range) {
  const Range all;
  const bool low = range.low > all.low, high = range.high < all.high;
  if (low && high) return (range.open_low ? " above " : " from ") + number_text(range.low) + " to " + number_text(range.high);
  if (low) return (range.open_low ? " above " : " of at least ") + number_text(range.low);
  return high ? " up to " + number_text(range.high) : "";
}

std::string words_text(const Choices& choices) {
  std::string text = "one of";
  for (const std::string& choice : choices) text += (&choice == &choices[0] ? " " : ", ") + choice;
  return text;
}

std::string found_text(const YamlValue& value) {
  switch (value.kind) {
    case Kind::kNull: return "nothing";
    case Kind::kList: return "a list";
    case Kind::kMap: return "a section";
    default: return value.quoted ? "the text " + quoted(value.text) : quoted(value.text);
  }
}

template <class Number>
bool parse_number(const YamlValue& value, Number& number) {
  if (value.kind != Kind::kScalar || value.quoted || value.text.empty()) return false;
  const char* begin = value.text.data() + (value.text[0] == '+');  // from_chars takes no plus sign
  const char* end = value.text.data() + value.text.size();
  if (begin == end || (begin != value.text.data() && (*begin == '-' || *begin == '+'))) return false;
  const auto [stop, error] = std::from_chars(begin, end, number);
  return error == std::errc() && stop == end && std::isfinite(static_cast<double>(number));
}

// Names of the keys of a section, in order.
struct KeyLister {
  Choices keys;
  template <class... Rest>
  void field(const char* key, Rest&&...) { keys.push_back(key); }
  template <class... Rest>
  void required(const char* key, Rest&&...) { keys.push_back(key); }
  template <class... Rest>
  void section(const char* key, Rest&&...) { keys.push_back(key); }
};

template <class Section>
Choices keys_of() {
  Section section;
  KeyLister lister;
  section.describe(lister);
  return lister.keys;
}

// The sections that hold a key of this name.
struct KeyFinder {
  std::string key, section_path;
  std::string found;
  template <class... Rest>
  void field(const char* name, Rest&&...) {
    if (key == name && !section_path.empty() && found.empty()) found = section_path;
  }
  template <class... Rest>
  void required(const char* name, Rest&&... rest) { field(name, rest...); }
  template <class Section>
  void section(const char* name, Section& section, const char*) {
    const std::string outer = section_path;
    section_path += (outer.empty() ? "" : ".") + std::string(name);
    section.describe(*this);
    section_path = outer;
  }
  template <class Section>
  void section(const char* name, std::optional<Section>&, const char* meaning) {
    Section inside;
    section(name, inside, meaning);
  }
};

// Fills a section from a tree.
class Reader {
 public:
  Reader(YamlValue& tree, std::string path) : tree_(tree), path_(std::move(path)) {}

  void check_keys(const Choices& keys) {
    for (const auto& [key, value] : tree_.entries) {
      if (std::find(keys.begin(), keys.end(), key) != keys.end()) continue;
      const std::string place = path_.empty() ? "at the top level" : "in " + path_;
      throw UserError(value.where + ": unknown key " + quoted(key) + " " + place + "." + hint(key, keys));
    }
  }

  void field(const char* key, bool& target, const char*) {
    const YamlValue* value = present(key);
    if (!value) return;
    const auto is = [&](std::initializer_list<const char*> words) {
      return std::find(words.begin(), words.end(), value->text) != words.end();
    };
    const bool plain = value->kind == Kind::kScalar && !value->quoted;
    if (plain && is({"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"})) {
      target = true;
    } else if (plain && is({"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"})) {
      target = false;
    } else {
      wrong(*value, key, "true or false");
    }
  }
  void field(const char* key, int& target, Range range, const char*) { number(key, target, range, "a whole number"); }
  void field(const char* key, int64_t& target, Range range, const char*) { number(key, target, range, "a whole number"); }
  void field(const char* key, double& target, Range range, const char*) { number(key, target, range, "a number"); }
  void field(const char* key, std::string& target, const Choices& choices, const char*) {
    if (const YamlValue* value = present(key)) target = word(*value, key, choices);
  }
  void field(const char* key, std::string& target, Text text, const char*) {
    const YamlValue* value = present(key);
    if (!value) return;
    if (value->kind != Kind::kScalar) wrong(*value, key, "a text");
    const std::string& name = value->text;
    if (name.find('\0') != name.npos || name.find('\n') != name.npos) wrong(*value, key, "a text of one line");
    if (text == Text::kFileName && (name.empty() || name.find('/') != name.npos || name == "." || name == "..")) {
      wrong(*value, key, "a name without slashes");
    }
    target = name;
  }
  void field(const char* key, std::vector<std::string>& target, const Choices& choices, const char*) {
    const YamlValue* value = present(key);
    if (!value) return;
    if (value->kind != Kind::kList) wrong(*value, key, "a list in square brackets of " + words_text(choices).substr(4));
    target.clear();
    for (const YamlValue& item : value->items) target.push_back(word(item, key, choices));
  }
  void field(const char* key, std::vector<int>& target, Range range, const char*) {
    const YamlValue* value = present(key);
    if (!value) return;
    const std::string expected = "a list in square brackets of whole numbers" + range_text(range);
    if (value->kind != Kind::kList || value->items.empty()) wrong(*value, key, expected);
    target.clear();
    for (const YamlValue& item : value->items) {
      int number = 0;
      if (!parse_number(item, number) || number < range.low || number > range.high) wrong(item, key, expected);
      target.push_back(number);
    }
  }
  template <class Value, class... Rest>
  void field(const char* key, std::optional<Value>& target, Rest&&... rest) {
    YamlValue* value = tree_.find(key);
    if (!value) return;
    target.reset();
    if (value->kind == Kind::kNull) return;
    Value inside{};
    field(key, inside, rest...);
    target = inside;
  }
  template <class Number>
  void required(const char* key, Number& target, Range range, const char* meaning) {
    if (!tree_.find(key)) {
      const std::string kind = std::is_integral_v<Number> ? "a whole number" : "a number";
      throw UserError(tree_.where + ": " + path_to(key) + " is required: " + kind + range_text(range) + " (" + meaning +
                      ")");
    }
    field(key, target, range, meaning);
  }
  template <class Section>
  void section(const char* key, Section& target, const char*) {
    YamlValue missing;  // still visited: it may lack something required
    missing.where = tree_.where;
    YamlValue* value = tree_.find(key);
    if (!value) value = &missing;
    if (value->kind != Kind::kMap && value->kind != Kind::kNull) {
      throw UserError(value->where + ": " + path_to(key) + " is a section; indented keys are expected below it");
    }
    Reader inside(*value, path_to(key));
    inside.check_keys(keys_of<Section>());
    target.describe(inside);
  }
  template <class Section>
  void section(const char* key, std::optional<Section>& target, const char* meaning) {
    YamlValue* value = tree_.find(key);
    if (!value || value->kind == Kind::kNull) return;
    target.emplace();
    section(key, *target, meaning);
  }

 private:
  std::string path_to(const std::string& key) const { return path_.empty() ? key : path_ + "." + key; }

  // The value of a key, or nullptr where the file does not have it and the default stays.
  const YamlValue* present(const char* key) { return tree_.find(key); }

  [[noreturn]] void wrong(const YamlValue& value, const char* key, const std::string& expected) {
    throw UserError(value.where + ": " + path_to(key) + ": expected " + expected + ", found " + found_text(value));
  }

  template <class Number>
  void number(const char* key, Number& target, const Range& range, const std::string& kind) {
    const YamlValue* value = present(key);
    if (!value) return;
    Number number{};
    if (!parse_number(*value, number)) wrong(*value, key, kind + range_text(range));
    const double real = static_cast<double>(number);
    if (real < range.low || real > range.high || (range.open_low && real == range.low))
      wrong(*value, key, kind + range_text(range));
    target = number;
  }

  std::string word(const YamlValue& value, const char* key, const Choices& choices) {
    if (value.kind != Kind::kScalar) wrong(value, key, words_text(choices));
    const auto has = [&](const std::string& text) { return std::find(choices.begin(), choices.end(), text) != choices.end(); };
    if (has(kPolicyFile) && is_policy_file(value.text)) return value.text;
    if (!has(value.text) || value.text == kPolicyFile) {
      const std::string near = nearest_word(value.text, choices);
      const std::string suggestion = near.empty() ? "" : ". Did you mean \"" + near + "\"?";
      throw UserError(value.where + ": " + path_to(key) + ": expected " + words_text(choices) + ", found " + found_text(value) +
                      suggestion);
    }
    return value.text;
  }

  std::string hint(const std::string& key, const Choices& keys) {
    const std::string near = nearest_word(key, keys);
    if (!near.empty()) return " Did you mean \"" + near + "\"?";
    KeyFinder finder{key, "", ""};
    Config config;
    config.describe(finder);
    if (!finder.found.empty()) return " It belongs in " + finder.found + ".";
    return keys.size() <= 12 ? " Known there:" + words_text(keys).substr(6) : "";
  }

  YamlValue& tree_;
  std::string path_;
};

}  // namespace

Config load_config(const std::string& path, const std::vector<std::string>& overrides) {
  YamlValue root = read_yaml_file(path);
  for (const std::string& assignment : overrides) apply_override(root, assignment);
  Config config;
  Reader reader(root, "");
  reader.check_keys(keys_of<Config>());
  config.describe(reader);
  check_config(config, [&](const std::string& key_path) {
    YamlValue* at = &root;
    std::string where = root.where;
    for (size_t begin = 0; at && begin <= key_path.size();) {
      const size_t end = std::min(key_path.find('.', begin), key_path.size());
      at = at->find(key_path.substr(begin, end - begin));
      if (at) where = at->where;
      begin = end + 1;
    }
    return where;
  });
  return config;
}

}  // namespace orbit

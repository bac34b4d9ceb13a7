// The typed config as text: the resolved YAML of a run folder, and comparison of two configs.
#include <algorithm>
#include <charconv>
#include <set>
#include "src/config/load.h"

namespace orbit {
namespace {

// Written so that Python's reader sees the same type: 1e-04 would be a text to it.
std::string value_text(double value) {
  char buffer[32];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  const size_t exponent = text.find('e');
  if (text.find('.') == text.npos) text.insert(exponent == text.npos ? text.size() : exponent, ".0");
  return text;
}
std::string value_text(bool value) { return value ? "true" : "false"; }
std::string value_text(int value) { return std::to_string(value); }
std::string value_text(int64_t value) { return std::to_string(value); }

// Plain where every reader takes it for a text, else in double quotes.
std::string value_text(const std::string& value) {
  static const std::set<std::string> words = {"null", "true", "false", "yes", "no", "on", "off", "y", "n", "~"};
  std::string lower, escaped;
  bool plain = !value.empty();
  for (const char c : value) {
    lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    plain = plain && (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '/' || c == '.' || c == '-');
    if (c == '"' || c == '\\') escaped += '\\';
    escaped += c;
  }
  plain = plain && !words.contains(lower) && (std::isalpha(static_cast<unsigned char>(value[0])) || value[0] == '/');
  return plain ? value : "\"" + escaped + "\"";
}
template <class Item>
std::string value_text(const std::vector<Item>& values) {
  std::string text = "[";
  for (const Item& value : values) text += (text.size() > 1 ? ", " : "") + value_text(value);
  return text + "]";
}
template <class Value>
std::string value_text(const std::optional<Value>& value) {
  return value ? value_text(*value) : "null";
}

// Calls emit(depth, key, value text, meaning) for every key and open(depth, key, meaning) for every section.
template <class Emit, class Open>
struct Writer {
  Emit emit;
  Open open;
  int depth = 0;

  template <class Value>
  void field(const char* key, Value& value, const char* meaning) { emit(depth, key, value_text(value), meaning); }
  template <class Value, class Legal>
  void field(const char* key, Value& value, const Legal&, const char* meaning) { field(key, value, meaning); }
  template <class Value, class Legal>
  void required(const char* key, Value& value, const Legal&, const char* meaning) { field(key, value, meaning); }
  template <class Section>
  void section(const char* key, Section& section, const char* meaning) {
    open(depth, key, meaning);
    ++depth;
    section.describe(*this);
    --depth;
  }
  template <class Section>
  void section(const char* key, std::optional<Section>& inside, const char* meaning) {
    if (inside) {
      section(key, *inside, meaning);
    } else {
      emit(depth, key, "null", meaning);
    }
  }
};

}  // namespace

Settings settings_of(const Config& config) {
  std::vector<std::string> path;
  Settings values;
  const auto full = [&](int depth, const char* key) {
    path.resize(static_cast<size_t>(depth));
    std::string text;
    for (const std::string& part : path) text += part + ".";
    return text + key;
  };
  const auto emit = [&](int depth, const char* key, const std::string& value, const char*) {
    values.emplace_back(full(depth, key), value);
  };
  const auto open = [&](int depth, const char* key, const char*) {
    path.resize(static_cast<size_t>(depth));
    path.push_back(key);
  };
  Writer<decltype(emit), decltype(open)> writer{emit, open};
  Config copy = config;
  copy.describe(writer);
  return values;
}

std::vector<SettingChange> changes(const Settings& base, const Settings& changed) {
  std::vector<SettingChange> found;
  for (const auto& [key, value] : changed) {
    std::string from = "null";  // a key of a section that is absent
    for (const auto& [name, base_value] : base) {
      if (name == key) from = base_value;
    }
    // "section: null" against keys of that section is a change too.
    const bool section_left = value == "null" && std::any_of(base.begin(), base.end(), [&](const auto& setting) {
      return setting.first.starts_with(key + ".");
    });
    if (from != value || section_left) found.push_back({key, section_left ? "a section" : from, value});
  }
  return found;
}

std::string to_yaml(const Config& config) {
  constexpr size_t kCommentColumn = 34;
  std::string text;
  const auto line = [&](int depth, const std::string& content, const char* meaning) {
    std::string begin = std::string(static_cast<size_t>(depth) * 2, ' ') + content;
    if (begin.size() < kCommentColumn) begin.resize(kCommentColumn, ' ');
    text += begin + "  # " + meaning + "\n";
  };
  const auto emit = [&](int depth, const char* key, const std::string& value, const char* meaning) {
    line(depth, key + (": " + value), meaning);
  };
  const auto open = [&](int depth, const char* key, const char* meaning) {
    if (depth == 0 && !text.empty()) text += "\n";
    line(depth, key + std::string(":"), meaning);
  };
  Writer<decltype(emit), decltype(open)> writer{emit, open};
  Config copy = config;
  copy.describe(writer);
  return text;
}

}  // namespace orbit

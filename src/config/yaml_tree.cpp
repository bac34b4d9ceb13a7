#include "src/config/yaml_tree.h"
#include <yaml-cpp/yaml.h>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include "src/common/error.h"

namespace orbit {
namespace {

constexpr size_t kLargestFile = 1 << 20;  // bytes; a config of a few hundred lines has some 20,000

constexpr int kDeepest = 16;
constexpr int kMostValues = 10000;

// Turns a node and what is below it; places are lines of `source`, or the source itself.
class Converter {
 public:
  Converter(std::string source, bool lines) : source_(std::move(source)), lines_(lines) {}

  YamlValue convert(const YAML::Node& node, const std::string& key) {
    YamlValue value;
    value.where = where(node.Mark());
    // Aliases can blow up a short file, or name what holds them; a real config has three levels and some hundred values.
    if (depth_ > kDeepest || ++values_ > kMostValues) {
      throw UserError(value.where + ": more values or levels than a config has (aliases counted)");
    }
    ++depth_;
    const std::string tag = node.Tag();
    if (!(tag.empty() || tag == "?" || tag == "!" || tag.starts_with("tag:yaml.org,2002:")) || tag.find("python") != tag.npos) {
      throw UserError(value.where + ": " + key + " has the tag " + quoted(tag) + "; plain values only");
    }
    switch (node.Type()) {
      case YAML::NodeType::Scalar:
        value.kind = YamlValue::Kind::kScalar;
        value.text = node.Scalar();
        value.quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
        break;
      case YAML::NodeType::Sequence:
        value.kind = YamlValue::Kind::kList;
        for (const YAML::Node& item : node) value.items.push_back(convert(item, key));
        break;
      case YAML::NodeType::Map:
        value.kind = YamlValue::Kind::kMap;
        convert_map(node, value);
        break;
      default: break;
    }
    --depth_;
    return value;
  }

  std::string where(const YAML::Mark& mark) const {
    return lines_ && !mark.is_null() ? source_ + ":" + std::to_string(mark.line + 1) : source_;
  }

 private:
  // yaml-cpp keeps duplicate keys in silence and the first one wins, while other readers take the last.
  void convert_map(const YAML::Node& node, YamlValue& value) {
    for (const auto& entry : node) {
      const std::string place = where(entry.first.Mark());
      if (!entry.first.IsScalar()) throw UserError(place + ": a key must be a plain word");
      const std::string key = entry.first.Scalar();
      if (YamlValue* first = value.find(key)) {
        throw UserError(place + ": the key " + quoted(key) + " stands twice; the first is at " + first->where);
      }
      YamlValue child = convert(entry.second, quoted(key));
      child.where = place;
      value.entries.emplace_back(key, std::move(child));
    }
  }

  std::string source_;
  bool lines_;  // whether marks mean lines of a file
  int depth_ = 0, values_ = 0;
};

// Control characters escaped, shortened.
std::string one_line(const std::string& text) {
  constexpr size_t kShown = 80;
  std::string shown;
  for (const char c : text.substr(0, kShown)) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      char escape[8];
      std::snprintf(escape, sizeof escape, "\\x%02x", static_cast<unsigned char>(c));
      shown += c == '\n' ? "\\n" : escape;
    } else {
      shown += c;
    }
  }
  return text.size() > kShown ? shown + "..." : shown;
}

std::string read_text(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) throw UserError(path + ": is a folder; a YAML file is expected");
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    const bool there = std::filesystem::exists(path, ignored);
    throw UserError(path + (there ? ": cannot be read" : ": no such file") + "; configs/ holds the shipped ones");
  }
  std::string text(kLargestFile + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<size_t>(file.gcount()));
  if (text.size() > kLargestFile) throw UserError(path + ": larger than 1 MiB; this is no config of orbit_train");
  return text;
}

}  // namespace

YamlValue* YamlValue::find(const std::string& key) {
  for (auto& [name, value] : entries) {
    if (name == key) return &value;
  }
  return nullptr;
}

std::string quoted(const std::string& text) {
  std::string shown = one_line(text);
  shown.insert(shown.begin(), '"');
  return shown + '"';
}

YamlValue read_yaml_file(const std::string& path) {
  Converter converter(path, true);
  try {
    const std::vector<YAML::Node> documents = YAML::LoadAll(read_text(path));
    if (documents.size() > 1)
      throw UserError(converter.where(documents[1].Mark()) + ": a second document begins; one is expected");
    YamlValue root;
    root.kind = YamlValue::Kind::kMap;
    root.where = path;
    if (documents.empty() || documents[0].IsNull()) return root;
    if (!documents[0].IsMap()) {
      throw UserError(converter.where(documents[0].Mark()) + ": sections such as \"training:\" are expected at the top level");
    }
    root = converter.convert(documents[0], "the file");
    root.where = path;
    return root;
  } catch (const YAML::Exception& e) {
    throw UserError(converter.where(e.mark) + ": not valid YAML: " + one_line(e.msg));
  }
}

void apply_override(YamlValue& root, const std::string& assignment) {
  const std::string source = "--set " + one_line(assignment);
  const size_t equals = assignment.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UserError(source + ": key.path=value is expected, e.g. training.lr=3e-4");
  Converter converter(source, false);
  YamlValue value;
  try {
    value = converter.convert(YAML::Load(assignment.substr(equals + 1)), quoted(assignment.substr(0, equals)));
  } catch (const YAML::Exception& e) {
    throw UserError(source + ": the value is not valid YAML: " + one_line(e.msg));
  }
  value.where = source;

  YamlValue* at = &root;
  std::istringstream path(assignment.substr(0, equals));
  for (std::string key; std::getline(path, key, '.');) {
    if (at->kind != YamlValue::Kind::kMap) {  // a section that was empty or null so far; a scalar gives way too
      at->kind = YamlValue::Kind::kMap;
      at->where = source;
      at->text.clear();
    }
    if (!at->find(key)) {
      at->entries.emplace_back(key, YamlValue{});
      at->entries.back().second.where = source;
    }
    at = at->find(key);
  }
  *at = std::move(value);
}

}  // namespace orbit

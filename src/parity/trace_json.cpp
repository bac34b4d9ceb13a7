#include "src/parity/trace_json.h"
#include <algorithm>
#include <cmath>
#include "src/common/error.h"

namespace orbit {
namespace {
using nlohmann::json;

std::string located(const JsonSource& source, int line) {
  return line > 0 ? source.file + ":" + std::to_string(line) : source.file;
}

std::string short_dump(const json& value) {
  std::string text = value.dump(-1, ' ', false, json::error_handler_t::replace);
  return text.size() <= 40 ? text : text.substr(0, 37) + "...";
}

// Walks over a document and keeps the text of one integer.
class IntegerFinder : public nlohmann::json_sax<json> {
 public:
  explicit IntegerFinder(const std::vector<std::string>& path) : path_(path) {}
  const std::string& found() const { return found_; }

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t v) override { return take(std::to_string(v)); }
  bool number_unsigned(number_unsigned_t v) override { return take(std::to_string(v)); }
  bool number_float(number_float_t, const string_t& s) override {
    return s.find_first_not_of("-0123456789") == std::string::npos ? take(s) : true;
  }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(size_t) override { return open(); }
  bool end_object() override { return close(); }
  bool start_array(size_t) override { return open(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    key_ = name;
    return true;
  }
  bool parse_error(size_t, const std::string&, const nlohmann::detail::exception&) override { return false; }

 private:
  bool open() {
    if (depth_ > 0 && matched_ == depth_ - 1 && size_t(depth_) <= path_.size() && key_ == path_[depth_ - 1]) matched_ = depth_;
    ++depth_;
    return true;
  }
  bool close() {
    --depth_;
    matched_ = std::min(matched_, std::max(depth_ - 1, 0));
    return true;
  }
  bool take(const std::string& digits) {
    const bool here = size_t(depth_) == path_.size() && matched_ == depth_ - 1 && key_ == path_.back();
    if (here) found_ = digits;
    return true;
  }

  const std::vector<std::string>& path_;
  std::string key_, found_;
  int depth_ = 0;    // open objects and lists
  int matched_ = 0;  // how many of them below the outermost are the path's
};
}  // namespace

json parse_json(const std::string& text, const JsonSource& source) {
  try {
    return json::parse(text);
  } catch (const json::parse_error& e) {
    const size_t at = std::min(e.byte, text.size());
    const int line = source.line > 0 ? source.line : 1 + int(std::count(text.begin(), text.begin() + long(at), '\n'));
    throw UserError(located(source, line) + ": not valid JSON at byte " + std::to_string(e.byte) +
                    "; the file is damaged or cut short");
  } catch (const json::exception&) {  // a number beyond float64
    throw UserError(located(source, source.line) + ": holds a number that no 64-bit float can hold");
  }
}

std::string integer_text(const std::string& text, const std::vector<std::string>& path) {
  IntegerFinder finder(path);
  json::sax_parse(text, &finder);
  return finder.found();
}

JsonValue JsonValue::child(const json& value, Part part) const {
  JsonValue c = *this;
  c.value_ = &value;
  if (depth_ < kMaxDepth) c.path_[c.depth_++] = part;
  return c;
}

JsonValue JsonValue::at(const char* key) const {
  if (!value_->is_object()) expected("an object");
  const auto it = value_->find(key);
  if (it == value_->end()) fail(std::string("\"") + key + "\" is missing");
  return child(*it, {key, 0});
}
bool JsonValue::has(const char* key) const {
  if (!value_->is_object()) expected("an object");
  const auto it = value_->find(key);
  return it != value_->end() && !it->is_null();
}
JsonValue JsonValue::at(size_t index) const {
  if (index >= size()) expected("a list of at least " + std::to_string(index + 1) + " items");
  return child((*value_)[index], {nullptr, index});
}
size_t JsonValue::size() const {
  if (!value_->is_array()) expected("a list");
  return value_->size();
}

double JsonValue::real(double limit) const {
  if (!value_->is_number()) expected("a number");
  const double v = value_->get<double>();
  if (!(std::fabs(v) <= limit)) expected("a number of at most " + json(limit).dump());
  return v;
}
int32_t JsonValue::whole(int64_t lowest, int64_t highest) const {
  const auto range = [&] { return "a whole number from " + std::to_string(lowest) + " to " + std::to_string(highest); };
  if (!value_->is_number()) expected(range());
  const double v = value_->get<double>();
  if (!(v >= double(lowest) && v <= double(highest)) || v != std::floor(v)) expected(range());
  return int32_t(v);
}
std::string JsonValue::text() const {
  if (!value_->is_string()) expected("text");
  return value_->get<std::string>();
}
bool JsonValue::truth() const {
  if (!value_->is_boolean()) expected("true or false");
  return value_->get<bool>();
}

std::string JsonValue::place() const {
  std::string path;
  for (int i = 0; i < depth_; ++i) {
    if (path_[i].key)
      path.append(path.empty() ? "" : ".").append(path_[i].key);
    else
      path.append("[").append(std::to_string(path_[i].index)).append("]");
  }
  return located(*source_, source_->line) + ": " + (path.empty() ? "" : path + ": ");
}
void JsonValue::expected(const std::string& what) const { fail("expected " + what + ", found " + short_dump(*value_)); }
void JsonValue::fail(const std::string& what) const { throw UserError(place() + what); }

}  // namespace orbit

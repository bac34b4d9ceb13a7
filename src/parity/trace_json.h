// Typed reads from JSON of a file; what does not fit throws a UserError with file, line and key.
#pragma once
#include <array>
#include <nlohmann/json.hpp>
#include <string>

namespace orbit {

// Where a JSON document stands. line 0: a document that is the whole file.
struct JsonSource {
  std::string file;
  int line;
};

// Parses the text; NaN, infinities and numbers beyond float64 are not JSON and throw too.
nlohmann::json parse_json(const std::string& text, const JsonSource& source);

// The digits of an integer of any size at this path of keys ("info", "seed"), which nlohmann::json would round; empty where
// there is none.
std::string integer_text(const std::string& json, const std::vector<std::string>& path);

// A value and its path. Cheap to copy; the document and the source must outlive it.
class JsonValue {
 public:
  JsonValue(const nlohmann::json& value, const JsonSource& source) : value_(&value), source_(&source) {}

  JsonValue at(const char* key) const;  // must be there
  bool has(const char* key) const;      // there and not null
  JsonValue at(size_t index) const;     // of a list
  size_t size() const;                  // of a list
  bool is_null() const { return value_->is_null(); }
  const nlohmann::json& raw() const { return *value_; }

  double real(double limit) const;  // |value| <= limit
  int32_t whole(int64_t lowest, int64_t highest) const;
  std::string text() const;
  bool truth() const;
  // f(item) for each item of a list; the results in a vector.
  template <class F>
  auto map(F f) const {
    std::vector<decltype(f(at(size_t(0))))> out;
    const size_t n = size();
    out.reserve(n);
    for (size_t i = 0; i < n; ++i) out.push_back(f(at(i)));
    return out;
  }

  [[noreturn]] void expected(const std::string& what) const;  // "FILE:LINE: KEY: expected WHAT, found VALUE"
  [[noreturn]] void fail(const std::string& what) const;      // "FILE:LINE: KEY: WHAT"

 private:
  static constexpr int kMaxDepth = 8;
  struct Part {
    const char* key;  // null: an index
    size_t index;
  };

  JsonValue child(const nlohmann::json& value, Part part) const;
  std::string place() const;

  const nlohmann::json* value_;
  const JsonSource* source_;
  std::array<Part, kMaxDepth> path_{};
  int depth_ = 0;
};

}  // namespace orbit

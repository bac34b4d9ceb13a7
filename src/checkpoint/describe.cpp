#include "src/checkpoint/describe.h"
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include "src/checkpoint/zip_archive.h"

namespace orbit {
namespace {
using Json = nlohmann::ordered_json;
using Kind = PtValue::Kind;
constexpr size_t kMaxShown = 256;                 // characters of a key or string
constexpr uint64_t kMaxHashed = uint64_t(64) << 30;

std::string cut(const std::string& text) { return text.size() <= kMaxShown ? text : text.substr(0, kMaxShown) + "..."; }

std::string number_text(double value) {
  char text[40];
  std::snprintf(text, sizeof text, "%.17g", value);
  double shorter = 0;
  for (int digits = 1; digits < 17; ++digits) {
    char attempt[40];
    std::snprintf(attempt, sizeof attempt, "%.*g", digits, value);
    if (std::sscanf(attempt, "%lf", &shorter) == 1 && shorter == value) return attempt;
  }
  return text;
}

std::string key_text(const PtValue& key) {
  switch (key.kind()) {
    case Kind::kString: return cut(key.as_string());
    case Kind::kInt: return std::to_string(key.as_int());
    case Kind::kBool: return key.as_bool() ? "True" : "False";
    case Kind::kDouble: return number_text(key.as_double());
    default: return std::string("(").append(key.kind_name()).append(")");
  }
}

int64_t byte_count(const TensorView& tensor) { return tensor.numel() * dtype_info(tensor.dtype).size; }

std::string tuple_text(const std::vector<int64_t>& numbers) {
  std::string text = "(";
  for (size_t i = 0; i < numbers.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(numbers[i]);
  return text + ")";
}

class TextWriter {
 public:
  explicit TextWriter(size_t max_bytes) : max_bytes_(max_bytes) {}

  std::string write(const PtValue& value) {
    visit("", value, 0);
    return std::move(out_);
  }

 private:
  static constexpr size_t kMaxItems = 20;  // scalars of a list

  void line(int depth, const std::string& label, const std::string& text) {
    if (out_.size() > max_bytes_) return;
    out_ += std::string(size_t(depth) * 2, ' ') + (label.empty() ? "" : printable(label) + ": ") + printable(text) + "\n";
  }

  void visit(const std::string& label, const PtValue& value, int depth) {
    if (out_.size() > max_bytes_) return;
    switch (value.kind()) {
      case Kind::kTensor: return line(depth, label, tensor_text(value.as_tensor_view()));
      case Kind::kDict:
        line(depth, label, "dict of " + std::to_string(value.entries().size()));
        for (const auto& [key, entry] : value.entries()) visit(key_text(key), entry, depth + 1);
        return;
      case Kind::kList: return sequence(label, "list of " + std::to_string(value.items().size()), value.items(), depth);
      case Kind::kTuple: return sequence(label, "tuple of " + std::to_string(value.items().size()), value.items(), depth);
      case Kind::kOpaque: return sequence(label, "object of class " + value.class_name(), value.items(), depth);
      default: return line(depth, label, scalar_text(value));
    }
  }

  void sequence(const std::string& label, const std::string& title, const PtValue::Items& items, int depth) {
    line(depth, label, title);
    size_t scalars = 0;
    for (size_t i = 0; i < items.size(); ++i) {
      const Kind kind = items[i].kind();
      const bool is_scalar = kind < Kind::kList;
      if (!is_scalar || ++scalars <= kMaxItems) visit(std::to_string(i), items[i], depth + 1);
    }
    if (scalars > kMaxItems) line(depth + 1, "", "... and " + std::to_string(scalars - kMaxItems) + " more scalars");
  }

  static std::string tensor_text(const TensorView& tensor) {
    std::string text = std::string(dtype_info(tensor.dtype).name) + " " + tuple_text(tensor.sizes) + ", " +
                       std::to_string(byte_count(tensor)) + " bytes";
    if (!tensor.is_contiguous()) text += ", strides " + tuple_text(tensor.strides);
    if (tensor.device != "cpu") text += ", saved on " + tensor.device;
    return text;
  }

  static std::string scalar_text(const PtValue& value) {
    switch (value.kind()) {
      case Kind::kNone: return "None";
      case Kind::kString: return "\"" + cut(value.as_string()) + "\"";
      case Kind::kBytes: return std::to_string(value.as_bytes().size()) + " bytes";
      case Kind::kBigInt: return integer_text(value.as_bytes());
      default: return key_text(value);
    }
  }

  size_t max_bytes_;
  std::string out_;
};

class JsonWriter {
 public:
  explicit JsonWriter(size_t max_bytes) : max_bytes_(max_bytes) {}

  std::string write(const PtValue& value) {
    visit(value, "");
    return std::move(out_);
  }

 private:
  void visit(const PtValue& value, const std::string& name) {
    if (out_.size() > max_bytes_) return;
    Json object = {{"name", name}, {"path", path_}};
    switch (value.kind()) {
      case Kind::kTensor: add_tensor(object, value.as_tensor_view()); break;
      case Kind::kDict: object.update({{"kind", "dict"}, {"entries", value.entries().size()}}); break;
      case Kind::kList: object.update({{"kind", "list"}, {"entries", value.items().size()}}); break;
      case Kind::kTuple: object.update({{"kind", "tuple"}, {"entries", value.items().size()}}); break;
      case Kind::kOpaque:
        object.update({{"kind", "object"}, {"class", value.class_name()}, {"entries", value.items().size()}});
        break;
      default: add_scalar(object, value);
    }
    out_ += object.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    const std::string prefix = name.empty() ? "" : name + ".";
    if (value.is_dict()) {
      for (const auto& [key, entry] : value.entries()) {
        path_.push_back(key.kind() == Kind::kInt ? Json(key.as_int()) : Json(key_text(key)));
        visit(entry, prefix + key_text(key));
        path_.erase(path_.size() - 1);
      }
    } else if (value.kind() == Kind::kList || value.kind() == Kind::kTuple || value.kind() == Kind::kOpaque) {
      for (size_t i = 0; i < value.items().size(); ++i) {
        path_.push_back(i);
        visit(value.items()[i], prefix + std::to_string(i));
        path_.erase(path_.size() - 1);
      }
    }
  }

  static void add_scalar(Json& object, const PtValue& value) {
    switch (value.kind()) {
      case Kind::kBool: object.update({{"kind", "bool"}, {"value", value.as_bool()}}); return;
      case Kind::kInt: object.update({{"kind", "int"}, {"value", value.as_int()}}); return;
      case Kind::kBigInt: object.update({{"kind", "int"}, {"value", integer_text(value.as_bytes())}}); return;
      case Kind::kString: object.update({{"kind", "str"}, {"value", value.as_string()}}); return;
      case Kind::kBytes:
        object.update({{"kind", "bytes"}, {"bytes", value.as_bytes().size()}, {"crc32", text_crc32(value.as_bytes())}});
        return;
      case Kind::kDouble: {  // JSON has no infinities
        const double real = value.as_double();
        object["kind"] = "float";
        object["value"] = std::isfinite(real) ? Json(real) : Json(number_text(real));
        return;
      }
      default: object["kind"] = "none";
    }
  }

  void add_tensor(Json& object, const TensorView& tensor) {
    const auto bytes = tensor.storage->bytes;
    const size_t storage = storages_.try_emplace({bytes.data(), bytes.size()}, storages_.size()).first->second;
    object.update({{"kind", "tensor"},
                   {"dtype", dtype_info(tensor.dtype).name},
                   {"shape", tensor.sizes},
                   {"stride", tensor.strides},
                   {"offset", tensor.offset},
                   {"bytes", byte_count(tensor)},
                   {"device", tensor.device},
                   {"requires_grad", tensor.requires_grad},
                   {"parameter", tensor.is_parameter},
                   {"storage", storage}});
    hashed_ += uint64_t(byte_count(tensor));
    object["crc32"] = hashed_ <= kMaxHashed ? Json(elements_crc32(tensor)) : Json();
  }

  static uint32_t text_crc32(const std::string& text) {
    return crc32_of({reinterpret_cast<const uint8_t*>(text.data()), text.size()});
  }

  size_t max_bytes_;
  std::string out_;
  Json path_ = Json::array();
  std::map<std::pair<const uint8_t*, size_t>, size_t> storages_;
  uint64_t hashed_ = 0;
};
}  // namespace

std::string describe_as_text(const PtValue& value, size_t max_bytes) { return TextWriter(max_bytes).write(value); }
std::string describe_as_json_lines(const PtValue& value, size_t max_bytes) { return JsonWriter(max_bytes).write(value); }

std::string integer_text(const std::string& little_endian) {
  const bool negative = !little_endian.empty() && (uint8_t(little_endian.back()) & 0x80) != 0;
  std::vector<uint8_t> magnitude(little_endian.begin(), little_endian.end());
  if (negative) {  // invert and add one
    unsigned carry = 1;
    for (uint8_t& byte : magnitude) {
      carry += uint8_t(~byte);
      byte = uint8_t(carry);
      carry >>= 8;
    }
  }
  const bool decimal = magnitude.size() < 256;
  std::string digits;  // the lowest first
  while (decimal && !magnitude.empty()) {
    unsigned rest = 0;
    for (size_t i = magnitude.size(); i-- > 0;) {
      rest = rest << 8 | magnitude[i];
      magnitude[i] = uint8_t(rest / 10);
      rest %= 10;
    }
    digits += char('0' + rest);
    while (!magnitude.empty() && magnitude.back() == 0) magnitude.pop_back();
  }
  for (uint8_t byte : magnitude) {
    digits += "0123456789abcdef"[byte & 15];
    digits += "0123456789abcdef"[byte >> 4];
  }
  if (!decimal) digits += "x0";
  if (negative) digits += '-';
  return {digits.rbegin(), digits.rend()};
}

uint32_t elements_crc32(const TensorView& tensor) {
  uint32_t crc = 0;
  for_each_block(tensor, [&](std::span<const uint8_t> block) { crc = crc32_of(block, crc); });
  return crc;
}

}  // namespace orbit

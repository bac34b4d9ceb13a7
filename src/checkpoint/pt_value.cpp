#include "src/checkpoint/pt_value.h"
#include <algorithm>
#include <array>
#include <cstdio>
#include "src/common/error.h"

namespace orbit {
namespace {
// The contents of `pointer` for writing: a copy of their own where another value shares them.
template <typename T>
T& unshared(std::shared_ptr<T>& pointer) {
  if (pointer.use_count() > 1) pointer = std::make_shared<T>(*pointer);
  return *pointer;
}
}  // namespace

PtValue::PtValue(std::string text) : kind_(Kind::kString), data_(std::make_shared<std::string>(std::move(text))) {}
PtValue::PtValue(TensorView tensor) : kind_(Kind::kTensor), data_(std::make_shared<TensorView>(std::move(tensor))) {}

PtValue PtValue::bytes(std::string raw) { return {Kind::kBytes, std::make_shared<std::string>(std::move(raw))}; }
PtValue PtValue::big_int(std::string digits) { return {Kind::kBigInt, std::make_shared<std::string>(std::move(digits))}; }
PtValue PtValue::list(Items items) { return {Kind::kList, std::make_shared<Items>(std::move(items))}; }
PtValue PtValue::tuple(Items items) { return {Kind::kTuple, std::make_shared<Items>(std::move(items))}; }

PtValue PtValue::dict(Entries entries) {
  PtValue made(Kind::kDict, std::make_shared<Dict>());
  for (auto& [key, value] : entries) made.set(std::move(key), std::move(value));
  return made;
}

PtValue PtValue::opaque(std::string class_name, Items parts) {
  return {Kind::kOpaque, std::make_shared<Opaque>(Opaque{std::move(class_name), std::move(parts)})};
}

std::string_view PtValue::kind_name() const {
  constexpr std::array<std::string_view, 12> kNames = {"None",    "a bool",   "an integer", "a large integer",
                                                       "a float", "a string", "bytes",      "a list",
                                                       "a tuple", "a dict",   "a tensor",   "an object"};
  return kNames[size_t(kind_)];
}

void PtValue::mismatch(std::string_view expected) const {
  throw UserError("expected " + std::string(expected) + ", found " + std::string(kind_name()));
}

bool PtValue::as_bool() const {
  if (kind_ != Kind::kBool) mismatch("a bool");
  return std::get<int64_t>(data_) != 0;
}

int64_t PtValue::as_int() const {
  if (kind_ != Kind::kInt) mismatch("an integer");
  return std::get<int64_t>(data_);
}

double PtValue::as_double() const {
  if (kind_ == Kind::kInt) return double(std::get<int64_t>(data_));
  if (kind_ != Kind::kDouble) mismatch("a number");
  return std::get<double>(data_);
}

const std::string& PtValue::as_string() const {
  if (kind_ != Kind::kString) mismatch("a string");
  return *std::get<std::shared_ptr<std::string>>(data_);
}

const std::string& PtValue::as_bytes() const {
  if (kind_ != Kind::kBytes && kind_ != Kind::kBigInt) mismatch("bytes");
  return *std::get<std::shared_ptr<std::string>>(data_);
}

const TensorView& PtValue::as_tensor_view() const {
  if (kind_ != Kind::kTensor) mismatch("a tensor");
  return *std::get<std::shared_ptr<TensorView>>(data_);
}

const std::string& PtValue::class_name() const {
  if (kind_ != Kind::kOpaque) mismatch("an object");
  return std::get<std::shared_ptr<Opaque>>(data_)->class_name;
}

const PtValue::Items& PtValue::items() const {
  if (kind_ == Kind::kOpaque) return std::get<std::shared_ptr<Opaque>>(data_)->parts;
  if (kind_ != Kind::kList && kind_ != Kind::kTuple) mismatch("a list or tuple");
  return *std::get<std::shared_ptr<Items>>(data_);
}

const PtValue::Dict& PtValue::as_dict() const {
  if (kind_ != Kind::kDict) mismatch("a dict");
  return *std::get<std::shared_ptr<Dict>>(data_);
}

const PtValue::Entries& PtValue::entries() const { return as_dict().entries; }

const PtValue* PtValue::find(std::string_view key) const {
  const Dict& dict = as_dict();
  const auto found = dict.index.find(key);
  return found == dict.index.end() ? nullptr : &dict.entries[found->second].second;
}

const PtValue& PtValue::at(std::string_view key) const {
  const PtValue* found = find(key);
  if (found == nullptr) throw UserError("the key \"" + printable(key) + "\" is missing");
  return *found;
}

void PtValue::append(PtValue value) {
  if (kind_ != Kind::kList) mismatch("a list");
  unshared(std::get<std::shared_ptr<Items>>(data_)).push_back(std::move(value));
}

void PtValue::set(PtValue key, PtValue value) {
  if (kind_ != Kind::kDict) mismatch("a dict");
  Dict& dict = unshared(std::get<std::shared_ptr<Dict>>(data_));
  if (key.is_string()) {
    const auto [place, added] = dict.index.try_emplace(key.as_string(), dict.entries.size());
    if (!added) {
      dict.entries[place->second].second = std::move(value);
      return;
    }
  }
  dict.entries.emplace_back(std::move(key), std::move(value));
}

namespace {
// Length of the well-formed UTF-8 character that `text` begins with; 0 if there is none.
size_t utf8_length(std::string_view text) {
  const auto at = [&](size_t i) { return uint8_t(text[i]); };
  const uint8_t lead = at(0);
  const size_t length = lead < 0x80                   ? 1
                        : lead >= 0xC2 && lead < 0xE0 ? 2
                        : lead >= 0xE0 && lead < 0xF0 ? 3
                        : lead >= 0xF0 && lead < 0xF5 ? 4
                                                      : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xE0 && at(1) < 0xA0) || (lead == 0xF0 && at(1) < 0x90);
  const bool out_of_range = (lead == 0xED && at(1) >= 0xA0) || (lead == 0xF4 && at(1) >= 0x90);  // surrogates, past U+10FFFF
  return overlong || out_of_range ? 0 : length;
}
}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const uint8_t first = uint8_t(text[0]);
    const bool control = first < 0x20 || first == 0x7F || (first == 0xC2 && length == 2 && uint8_t(text[1]) < 0xA0);
    if (length == 0 || control) {
      char escape[5];
      std::snprintf(escape, sizeof escape, "\\x%02x", first);
      out += escape;
      text.remove_prefix(1);
    } else {
      out += text.substr(0, length);
      text.remove_prefix(length);
    }
  }
  return out;
}

}  // namespace orbit

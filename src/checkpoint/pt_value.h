// What a .pt file holds, as a tree that knows no Torch: plain Python values, tensors as views of storages, and everything else
// as opaque entries. Values copy cheaply (contents are shared until one side changes), and a value never contains itself.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
#include "src/checkpoint/tensor_view.h"

namespace orbit {

class PtValue {
 public:
  enum class Kind { kNone, kBool, kInt, kBigInt, kDouble, kString, kBytes, kList, kTuple, kDict, kTensor, kOpaque };
  using Items = std::vector<PtValue>;
  using Entries = std::vector<std::pair<PtValue, PtValue>>;

  PtValue() = default;  // None
  PtValue(bool value) : kind_(Kind::kBool), data_(int64_t(value)) {}
  PtValue(double value) : kind_(Kind::kDouble), data_(value) {}
  template <typename T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool>, int> = 0>
  PtValue(T value) : kind_(Kind::kInt), data_(int64_t(value)) {}
  PtValue(const char* text) : PtValue(std::string(text)) {}
  PtValue(std::string text);
  PtValue(TensorView tensor);

  static PtValue bytes(std::string raw);
  static PtValue big_int(std::string little_endian);  // two's complement, as many bytes as needed
  static PtValue list(Items items = {});
  static PtValue tuple(Items items = {});
  static PtValue dict(Entries entries = {});
  // An object of a class we do not rebuild: what it was made from (arguments, then state, then contents).
  static PtValue opaque(std::string class_name, Items parts = {});

  Kind kind() const { return kind_; }
  bool is_none() const { return kind_ == Kind::kNone; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_tensor() const { return kind_ == Kind::kTensor; }
  bool is_dict() const { return kind_ == Kind::kDict; }
  std::string_view kind_name() const;  // "an integer", for messages

  // Each throws UserError ("expected a string, found a list") if the value is of another kind.
  bool as_bool() const;
  int64_t as_int() const;
  double as_double() const;  // integers too
  const std::string& as_string() const;
  const std::string& as_bytes() const;  // kBytes and kBigInt
  const TensorView& as_tensor_view() const;
  const std::string& class_name() const;  // kOpaque
  const Items& items() const;             // list, tuple, or an opaque entry's parts
  const Entries& entries() const;         // dict, in insertion order
  const PtValue* find(std::string_view key) const;  // dict: the value of a string key, or null
  const PtValue& at(std::string_view key) const;    // dict: as find, a missing key is a UserError that names it

  void append(PtValue value);            // list
  void set(PtValue key, PtValue value);  // dict: adds, or replaces the value of an equal string key

 private:
  struct Dict {
    Entries entries;
    std::unordered_map<std::string_view, size_t> index;  // string key, in its entry's text -> place in entries
  };
  struct Opaque {
    std::string class_name;
    Items parts;
  };
  // Text of any kind, list and tuple, dict, opaque entry, tensor.
  using Data = std::variant<std::monostate, int64_t, double, std::shared_ptr<std::string>, std::shared_ptr<Items>,
                            std::shared_ptr<Dict>, std::shared_ptr<Opaque>, std::shared_ptr<TensorView>>;
  PtValue(Kind kind, Data data) : kind_(kind), data_(std::move(data)) {}
  [[noreturn]] void mismatch(std::string_view expected) const;
  const Dict& as_dict() const;

  Kind kind_ = Kind::kNone;
  Data data_;
};

// Text from a file made fit for a terminal: control characters and what is not UTF-8 become escapes.
std::string printable(std::string_view text);

}  // namespace orbit

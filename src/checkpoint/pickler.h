// Writes a value as a pickle of protocol 2, in the words that torch.load(weights_only=True) knows.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>
#include "src/checkpoint/pt_value.h"

namespace orbit {

class Pickler {
 public:
  // The pickle of `value`. Throws UserError for what has no safe form (objects of other classes).
  std::string dump(const PtValue& value);
  // The storages that the pickle refers to as "0", "1", ..., each once however many tensors view it.
  const std::vector<std::shared_ptr<const Storage>>& storages() const { return storages_; }

 private:
  void write(const PtValue& value);
  void write_global(const char* module, const char* name);
  void write_integer(int64_t value);
  void write_long(const std::string& little_endian);
  void write_double(double value);
  void write_string(const std::string& utf8);
  void write_bytes(const std::string& raw);
  void write_items(const PtValue::Items& items, char opening, char closing);
  void write_tuple(const PtValue::Items& items);
  void write_dict(const PtValue::Entries& entries);
  void write_integers(const std::vector<int64_t>& numbers);
  void write_tensor(const TensorView& tensor);
  void write_storage(const TensorView& tensor);
  void write_opaque(const PtValue& value);

  std::string out_;
  std::vector<std::shared_ptr<const Storage>> storages_;
  // Storages of equal memory and class are one; Python gives a key the class of its first mention.
  std::map<std::tuple<const uint8_t*, size_t, std::string_view>, size_t> keys_;
};

}  // namespace orbit

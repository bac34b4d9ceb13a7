// Python's pickle format, protocols 2 to 5, as a reader of values: it builds data and runs nothing.
// The instructions are those of pickletools.py in CPython.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>
#include "src/checkpoint/pickle_objects.h"

namespace orbit {

class Unpickler {
 public:
  // The bytes must outlive the object; storages are asked for by their keys.
  Unpickler(std::span<const uint8_t> pickle, StorageSource storages);
  PtValue load();  // throws DamagedFile

 private:
  // The instructions by subject; each says whether the instruction was one of its own.
  bool read_number(uint8_t instruction);
  bool read_text(uint8_t instruction);
  bool read_container(uint8_t instruction);
  bool read_memo(uint8_t instruction);
  bool read_object(uint8_t instruction);
  bool read_stack(uint8_t instruction);

  template <typename T>
  T take();
  std::string_view take_text(uint64_t length);
  std::string_view take_line();

  void push(Ref ref) { stack_.push_back(ref); }
  Ref pop();
  Ref top() const;
  std::vector<Ref> pop_to_mark();
  void push_tuple(size_t length);
  void push_long(std::string_view little_endian);
  void append(Ref target, const std::vector<Ref>& items);
  void set_items(Ref target, const std::vector<Ref>& keys_and_values);

  std::span<const uint8_t> pickle_;
  uint64_t at_ = 0;
  StorageSource storages_;
  PickleArena arena_;
  PickleObjects objects_;
  std::vector<Ref> stack_;
  std::vector<size_t> marks_;  // heights of the stack; what lies below the last one is out of reach
  std::unordered_map<uint64_t, Ref> memo_;
};

}  // namespace orbit

#include "src/checkpoint/unpickler.h"
#include <bit>
#include <cstdio>
#include "src/checkpoint/damaged_file.h"
#include "src/checkpoint/little_endian.h"

namespace orbit {
namespace {
using Tag = PickleNode::Tag;

enum Instruction : uint8_t {
  kMark = '(',
  kStop = '.',
  kPop = '0',
  kPopMark = '1',
  kDup = '2',
  kBinFloat = 'G',
  kBinInt = 'J',
  kBinInt1 = 'K',
  kBinInt2 = 'M',
  kNone = 'N',
  kBinPersistentId = 'Q',
  kReduce = 'R',
  kBinString = 'T',
  kShortBinString = 'U',
  kBinUnicode = 'X',
  kAppend = 'a',
  kBuild = 'b',
  kGlobal = 'c',
  kDict = 'd',
  kEmptyDict = '}',
  kAppends = 'e',
  kBinGet = 'h',
  kLongBinGet = 'j',
  kList = 'l',
  kEmptyList = ']',
  kBinPut = 'q',
  kLongBinPut = 'r',
  kSetItem = 's',
  kTuple = 't',
  kEmptyTuple = ')',
  kSetItems = 'u',
  kProtocol = 0x80,
  kNewObject = 0x81,
  kTuple1 = 0x85,
  kTuple2 = 0x86,
  kTuple3 = 0x87,
  kNewTrue = 0x88,
  kNewFalse = 0x89,
  kLong1 = 0x8a,
  kLong4 = 0x8b,
  kBinBytes = 'B',
  kShortBinBytes = 'C',
  kShortBinUnicode = 0x8c,
  kBinUnicode8 = 0x8d,
  kBinBytes8 = 0x8e,
  kEmptySet = 0x8f,
  kAddItems = 0x90,
  kFrozenSet = 0x91,
  kNewObjectEx = 0x92,
  kStackGlobal = 0x93,
  kMemoize = 0x94,
  kFrame = 0x95,
  kByteArray8 = 0x96,
};
}  // namespace

Unpickler::Unpickler(std::span<const uint8_t> pickle, StorageSource storages)
    : pickle_(pickle), storages_(std::move(storages)), objects_(arena_, storages_) {}

PtValue Unpickler::load() {
  if (pickle_.size() < 2 || pickle_[0] != kProtocol) throw DamagedFile("its pickle does not begin with a protocol number");
  while (true) {
    const auto instruction = take<uint8_t>();
    if (instruction == kStop) break;
    const bool known = read_number(instruction) || read_text(instruction) || read_container(instruction) ||
                       read_memo(instruction) || read_object(instruction) || read_stack(instruction);
    if (!known) {
      char text[80];
      std::snprintf(text, sizeof text, "its pickle has the unknown instruction 0x%02x at byte %llu", instruction,
                    static_cast<unsigned long long>(at_ - 1));
      throw DamagedFile(text);
    }
  }
  return arena_.to_value(pop(), storages_);
}

bool Unpickler::read_number(uint8_t instruction) {
  const auto push_int = [&](int64_t value) {
    PickleNode node;
    node.tag = Tag::kInt;
    node.integer = value;
    push(arena_.add(std::move(node)));
    return true;
  };
  switch (instruction) {
    case kNone: push(PickleArena::kNone); return true;
    case kNewTrue: push(PickleArena::kTrue); return true;
    case kNewFalse: push(PickleArena::kFalse); return true;
    case kBinInt: return push_int(int32_t(take<uint32_t>()));
    case kBinInt1: return push_int(take<uint8_t>());
    case kBinInt2: return push_int(take<uint16_t>());
    case kLong1: push_long(take_text(take<uint8_t>())); return true;
    case kLong4: push_long(take_text(take<uint32_t>())); return true;
    case kBinFloat: {
      uint64_t bits = 0;  // the one big-endian number of the format
      for (char byte : take_text(8)) bits = bits << 8 | uint8_t(byte);
      PickleNode node;
      node.tag = Tag::kDouble;
      node.real = std::bit_cast<double>(bits);
      push(arena_.add(std::move(node)));
      return true;
    }
    default: return false;
  }
}

// Two's complement of any length. What fits into 64 bits is an ordinary integer.
void Unpickler::push_long(std::string_view bytes) {
  const uint8_t fill = !bytes.empty() && (bytes.back() & 0x80) != 0 ? 0xFF : 0;
  size_t length = bytes.size();
  while (length > 8 && uint8_t(bytes[length - 1]) == fill && ((uint8_t(bytes[length - 2]) ^ fill) & 0x80) == 0) --length;
  if (length > 8) {
    push(arena_.add_text(Tag::kBigInt, bytes.substr(0, length)));
    return;
  }
  uint64_t value = 0;
  for (size_t i = 0; i < 8; ++i) value |= uint64_t(i < length ? uint8_t(bytes[i]) : fill) << (8 * i);
  PickleNode node;
  node.tag = Tag::kInt;
  node.integer = int64_t(value);
  push(arena_.add(std::move(node)));
}

bool Unpickler::read_text(uint8_t instruction) {
  const auto push_text = [&](Tag tag, uint64_t length) {
    push(arena_.add_text(tag, take_text(length)));
    return true;
  };
  switch (instruction) {
    case kShortBinUnicode:
    case kShortBinString: return push_text(Tag::kString, take<uint8_t>());  // Python 2's str: names, in practice
    case kBinUnicode:
    case kBinString: return push_text(Tag::kString, take<uint32_t>());
    case kBinUnicode8: return push_text(Tag::kString, take<uint64_t>());
    case kShortBinBytes: return push_text(Tag::kBytes, take<uint8_t>());
    case kBinBytes: return push_text(Tag::kBytes, take<uint32_t>());
    case kBinBytes8:
    case kByteArray8: return push_text(Tag::kBytes, take<uint64_t>());
    default: return false;
  }
}

bool Unpickler::read_container(uint8_t instruction) {
  switch (instruction) {
    case kEmptyList: push(arena_.add_container(Tag::kList)); return true;
    case kEmptyDict: push(arena_.add_container(Tag::kDict)); return true;
    case kEmptyTuple: push(PickleArena::kEmptyTuple); return true;
    case kTuple1: push_tuple(1); return true;
    case kTuple2: push_tuple(2); return true;
    case kTuple3: push_tuple(3); return true;
    case kTuple: push(arena_.add_container(Tag::kTuple, pop_to_mark())); return true;
    case kList: push(arena_.add_container(Tag::kList, pop_to_mark())); return true;
    case kDict: {
      const auto items = pop_to_mark();
      push(arena_.add_container(Tag::kDict));
      set_items(top(), items);
      return true;
    }
    case kEmptySet: push(objects_.call(objects_.global("builtins", "set"), PickleArena::kEmptyTuple)); return true;
    case kFrozenSet: {
      const Ref list = arena_.add_container(Tag::kList, pop_to_mark());
      push(objects_.call(objects_.global("builtins", "frozenset"), arena_.add_container(Tag::kTuple, {list})));
      return true;
    }
    case kAppend: {
      const Ref item = pop();
      append(top(), {item});
      return true;
    }
    case kAppends:
    case kAddItems: {
      const auto items = pop_to_mark();
      append(top(), items);
      return true;
    }
    case kSetItem: {
      const Ref value = pop(), key = pop();
      set_items(top(), {key, value});
      return true;
    }
    case kSetItems: {
      const auto items = pop_to_mark();
      set_items(top(), items);
      return true;
    }
    default: return false;
  }
}

void Unpickler::push_tuple(size_t length) {
  std::vector<Ref> items(length);
  for (size_t i = length; i-- > 0;) items[i] = pop();
  push(arena_.add_container(Tag::kTuple, std::move(items)));
}

// Objects of unknown classes that behave like a list or dict keep what is put into them as their last part.
void Unpickler::append(Ref target, const std::vector<Ref>& items) {
  if (arena_[target].tag == Tag::kOpaque) {
    const auto& parts = arena_[target].children;
    if (parts.empty() || arena_[parts.back()].tag != Tag::kList) {
      const Ref list = arena_.add_container(Tag::kList);
      arena_[target].children.push_back(list);
    }
    target = arena_[target].children.back();
  }
  if (arena_[target].tag != Tag::kList) throw DamagedFile("its pickle appends to what is no list");
  auto& list = arena_[target].children;
  list.insert(list.end(), items.begin(), items.end());
}

void Unpickler::set_items(Ref target, const std::vector<Ref>& keys_and_values) {
  if (keys_and_values.size() % 2 != 0) throw DamagedFile("its pickle has a key without a value");
  if (arena_[target].tag == Tag::kOpaque) {
    const auto& parts = arena_[target].children;
    if (parts.empty() || arena_[parts.back()].tag != Tag::kDict) {
      const Ref dict = arena_.add_container(Tag::kDict);
      arena_[target].children.push_back(dict);
    }
    target = arena_[target].children.back();
  }
  if (arena_[target].tag != Tag::kDict) throw DamagedFile("its pickle sets an item of what is no dict");
  auto& dict = arena_[target].children;
  dict.insert(dict.end(), keys_and_values.begin(), keys_and_values.end());
}

bool Unpickler::read_memo(uint8_t instruction) {
  const auto get = [&](uint64_t key) {
    const auto found = memo_.find(key);
    if (found == memo_.end()) throw DamagedFile("its pickle refers to an object that it has not made");
    push(found->second);
    return true;
  };
  const auto put = [&](uint64_t key) {
    arena_.charge(8);
    memo_[key] = top();
    return true;
  };
  switch (instruction) {
    case kBinPut: return put(take<uint8_t>());
    case kLongBinPut: return put(take<uint32_t>());
    case kMemoize: return put(memo_.size());
    case kBinGet: return get(take<uint8_t>());
    case kLongBinGet: return get(take<uint32_t>());
    default: return false;
  }
}

bool Unpickler::read_object(uint8_t instruction) {
  switch (instruction) {
    case kGlobal: {
      const auto module = take_line(), name = take_line();
      push(objects_.global(module, name));
      return true;
    }
    case kStackGlobal: {
      const Ref name = pop(), module = pop();
      if (arena_[name].tag != Tag::kString || arena_[module].tag != Tag::kString)
        throw DamagedFile("its pickle names a class by what is no string");
      push(objects_.global(arena_[module].text, arena_[name].text));
      return true;
    }
    case kReduce:
    case kNewObject: {
      const Ref arguments = pop(), callable = pop();
      push(objects_.call(callable, arguments));
      return true;
    }
    case kNewObjectEx: {
      const Ref keywords = pop(), arguments = pop(), callable = pop();
      const Ref made = objects_.call(callable, arguments);
      objects_.set_state(made, keywords);
      push(made);
      return true;
    }
    case kBuild: {
      const Ref state = pop();
      objects_.set_state(top(), state);
      return true;
    }
    case kBinPersistentId: push(objects_.storage(pop())); return true;
    default: return false;
  }
}

bool Unpickler::read_stack(uint8_t instruction) {
  switch (instruction) {
    case kMark: marks_.push_back(stack_.size()); return true;
    case kPopMark: pop_to_mark(); return true;
    case kPop: pop(); return true;
    case kDup: push(top()); return true;
    case kFrame: take<uint64_t>(); return true;  // lengths for readers of streams
    case kProtocol: {
      const auto protocol = take<uint8_t>();
      if (protocol < 2 || protocol > 5) throw DamagedFile("its pickle is of the unknown protocol " + std::to_string(protocol));
      return true;
    }
    default: return false;
  }
}

template <typename T>
T Unpickler::take() {
  if (pickle_.size() - at_ < sizeof(T)) throw DamagedFile("its pickle is cut short");
  const T value = little<T>(pickle_, at_);
  at_ += sizeof(T);
  return value;
}

std::string_view Unpickler::take_text(uint64_t length) {
  if (pickle_.size() - at_ < length) throw DamagedFile("its pickle is cut short");
  const auto bytes = pickle_.subspan(at_, length);
  at_ += length;
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string_view Unpickler::take_line() {
  uint64_t length = 0;
  while (at_ + length < pickle_.size() && pickle_[at_ + length] != '\n') ++length;
  const std::string_view line = take_text(length);
  take<uint8_t>();
  return line;
}

Ref Unpickler::top() const {
  if (stack_.size() <= (marks_.empty() ? 0 : marks_.back())) throw DamagedFile("its pickle takes an object that is not there");
  return stack_.back();
}

Ref Unpickler::pop() {
  const Ref ref = top();
  stack_.pop_back();
  return ref;
}

std::vector<Ref> Unpickler::pop_to_mark() {
  if (marks_.empty()) throw DamagedFile("its pickle closes what it has not opened");
  std::vector<Ref> items(stack_.begin() + std::ptrdiff_t(marks_.back()), stack_.end());
  stack_.resize(marks_.back());
  marks_.pop_back();
  return items;
}

}  // namespace orbit

// The objects of a pickle while it is being read. Pickle changes objects after they have been referred to (a list may even hold
// itself), so they live in an arena and refer to each other by number; to_value turns what was reached into a tree.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>
#include "src/checkpoint/pt_value.h"

namespace orbit {

using Ref = uint32_t;

// The bytes of the storage `key`, brought into the machine's byte order; `swap` is DTypeInfo::swap. Throws DamagedFile.
using StorageSource = std::function<std::shared_ptr<const Storage>(std::string_view key, uint8_t swap)>;

struct PickleNode {
  enum class Tag : uint8_t {
    kNone, kBool, kInt, kBigInt, kDouble, kString, kBytes, kList, kTuple, kDict, kGlobal, kStorage, kTensor, kOpaque
  };
  Tag tag = Tag::kNone;
  union {
    int64_t integer = 0;  // kBool, kInt; kTensor: place in PickleArena::tensors; kStorage: its DType, or kUntyped
    double real;
  };
  std::string_view text;      // kBigInt, kString, kBytes; kGlobal, kOpaque: "module.name"; kStorage: its key
  std::vector<Ref> children;  // kList, kTuple, kOpaque (its parts); kDict: key, value, key, value, ...
};

class PickleArena {
 public:
  static constexpr int64_t kUntyped = -1;
  // Objects that always exist, so that the commonest one-byte instructions cost no memory.
  static constexpr Ref kNone = 0, kTrue = 1, kFalse = 2, kEmptyTuple = 3;

  PickleArena();
  Ref add(PickleNode node);  // throws DamagedFile past the limit, as do all that follow
  Ref add_text(PickleNode::Tag tag, std::string_view text);
  Ref add_container(PickleNode::Tag tag, std::vector<Ref> children = {});
  Ref add_tensor(TensorView tensor);
  std::string_view keep(std::string text);          // gives text that is not in the file a place to stay
  std::string_view intern(const std::string& text);  // the same for text that comes up again and again
  // Counts what an instruction of a few bytes makes beyond a node, in words: a small file cannot grow without bound.
  void charge(size_t words);

  PickleNode& operator[](Ref ref) { return nodes_[ref]; }
  const PickleNode& operator[](Ref ref) const { return nodes_[ref]; }
  TensorView& tensor(Ref ref) { return tensors_[size_t(nodes_[ref].integer)]; }
  const TensorView& tensor(Ref ref) const { return tensors_[size_t(nodes_[ref].integer)]; }

  // The tree below `root`. Where an object holds itself, the inner mention becomes an opaque entry; nesting deeper than
  // Python's own pickle allows and trees that unfold to more values than the limit are refused.
  PtValue to_value(Ref root, const StorageSource& storages) const;

 private:
  std::deque<PickleNode> nodes_;
  std::deque<TensorView> tensors_;
  std::deque<std::string> texts_;
  std::unordered_set<std::string> interned_;
  size_t words_ = 0;
};

}  // namespace orbit

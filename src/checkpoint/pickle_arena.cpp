#include "src/checkpoint/pickle_arena.h"
#include <algorithm>
#include <unordered_set>
#include "src/checkpoint/damaged_file.h"

namespace orbit {
namespace {
using Tag = PickleNode::Tag;
// Far above any checkpoint (the values are Python objects, not numbers in tensors), and under 2 GiB of memory.
constexpr size_t kMaxValues = size_t(1) << 23;
constexpr int kMaxDepth = 400;
constexpr size_t kMaxWords = size_t(1) << 26;  // 512 MiB
constexpr size_t kMaxKeyLength = size_t(1) << 16;

class TreeBuilder {
 public:
  TreeBuilder(const PickleArena& arena, const StorageSource& storages) : arena_(arena), storages_(storages) {}

  PtValue build(Ref ref) { return visit(ref, 0).value; }

 private:
  struct Built {
    PtValue value;
    size_t count;  // values in it, shared ones as often as they are reached
  };

  Built visit(Ref ref, int depth) {
    const PickleNode& node = arena_[ref];
    const bool is_small =
        node.tag != Tag::kStorage && node.tag != Tag::kTensor && node.children.empty() && node.text.size() <= 64;
    if (is_small) return {leaf(ref), 1};
    if (const auto found = done_.find(ref); found != done_.end()) return found->second;
    if (depth > kMaxDepth) throw DamagedFile("its values are nested more than " + std::to_string(kMaxDepth) + " deep");
    if (!open_.insert(ref).second) return {PtValue::opaque("reference to an enclosing object"), 1};
    Built built = node.tag == Tag::kStorage ? Built{storage_as_tensor(node), 1}
                  : node.children.empty()   ? Built{leaf(ref), 1}
                                            : container(node, depth);
    open_.erase(ref);
    done_.emplace(ref, built);
    return built;
  }

  PtValue leaf(Ref ref) const {
    const PickleNode& node = arena_[ref];
    switch (node.tag) {
      case Tag::kNone: return {};
      case Tag::kBool: return node.integer != 0;
      case Tag::kInt: return node.integer;
      case Tag::kDouble: return node.real;
      case Tag::kBigInt: return PtValue::big_int(std::string(node.text));
      case Tag::kString: return std::string(node.text);
      case Tag::kBytes: return PtValue::bytes(std::string(node.text));
      case Tag::kList: return PtValue::list();
      case Tag::kTuple: return PtValue::tuple();
      case Tag::kDict: return PtValue::dict();
      case Tag::kTensor: return arena_.tensor(ref);
      case Tag::kGlobal:
      case Tag::kOpaque: return PtValue::opaque(std::string(node.text));
      case Tag::kStorage: break;
    }
    throw DamagedFile("it holds an object that cannot stand alone");
  }

  // A storage saved by itself is the flat tensor of its elements.
  PtValue storage_as_tensor(const PickleNode& node) const {
    TensorView view;
    view.dtype = node.integer == PickleArena::kUntyped ? DType::kUInt8 : DType(node.integer);
    const DTypeInfo& type = dtype_info(view.dtype);
    view.storage = storages_(node.text, type.swap);
    view.sizes = {int64_t(view.storage->bytes.size() / type.size)};
    view.strides = {1};
    return view;
  }

  Built container(const PickleNode& node, int depth) {
    PtValue::Items items;
    items.reserve(node.children.size());
    size_t count = 1;
    for (Ref child : node.children) {
      Built built = visit(child, depth + 1);
      count += built.count;
      if (count > kMaxValues)
        throw DamagedFile("its values unfold to more than " + std::to_string(kMaxValues) + "; keep numbers in tensors");
      items.push_back(std::move(built.value));
    }
    if (node.tag == Tag::kList) return {PtValue::list(std::move(items)), count};
    if (node.tag == Tag::kTuple) return {PtValue::tuple(std::move(items)), count};
    if (node.tag == Tag::kOpaque) return {PtValue::opaque(std::string(node.text), std::move(items)), count};
    PtValue dict = PtValue::dict();
    for (size_t i = 0; i + 1 < items.size(); i += 2) {
      if (items[i].is_string() && items[i].as_string().size() > kMaxKeyLength)
        throw DamagedFile("a dict has a key of 64 KiB or more");
      dict.set(std::move(items[i]), std::move(items[i + 1]));
    }
    return {std::move(dict), count};
  }

  const PickleArena& arena_;
  const StorageSource& storages_;
  std::unordered_map<Ref, Built> done_;
  std::unordered_set<Ref> open_;
};
}  // namespace

PickleArena::PickleArena() {
  nodes_.resize(4);
  nodes_[kTrue].tag = nodes_[kFalse].tag = Tag::kBool;
  nodes_[kTrue].integer = 1;
  nodes_[kEmptyTuple].tag = Tag::kTuple;
}

Ref PickleArena::add(PickleNode node) {
  if (nodes_.size() >= kMaxValues)
    throw DamagedFile("it holds more than " + std::to_string(kMaxValues) + " values; keep numbers in tensors");
  charge(node.children.size());
  nodes_.push_back(std::move(node));
  return Ref(nodes_.size() - 1);
}

Ref PickleArena::add_text(Tag tag, std::string_view text) {
  PickleNode node;
  node.tag = tag;
  node.text = text;
  return add(std::move(node));
}

Ref PickleArena::add_container(Tag tag, std::vector<Ref> children) {
  if (tag == Tag::kTuple && children.empty()) return kEmptyTuple;
  PickleNode node;
  node.tag = tag;
  node.children = std::move(children);
  return add(std::move(node));
}

Ref PickleArena::add_tensor(TensorView tensor) {
  PickleNode node;
  node.tag = Tag::kTensor;
  node.integer = int64_t(tensors_.size());
  charge(32 + 2 * tensor.sizes.size());
  const Ref ref = add(std::move(node));
  tensors_.push_back(std::move(tensor));
  return ref;
}

std::string_view PickleArena::keep(std::string text) {
  charge(text.size() / 8 + 4);
  return texts_.emplace_back(std::move(text));
}

std::string_view PickleArena::intern(const std::string& text) {
  if (text.size() > 256) throw DamagedFile("a class has a name of more than 256 characters");
  const auto [place, added] = interned_.insert(text);
  if (added) charge(text.size() / 8 + 8);
  return *place;
}

void PickleArena::charge(size_t words) {
  words_ += words;
  if (words_ > kMaxWords)
    throw DamagedFile("it unfolds to more than " + std::to_string(kMaxWords >> 17) + " MiB outside of its tensors");
}

PtValue PickleArena::to_value(Ref root, const StorageSource& storages) const {
  return TreeBuilder(*this, storages).build(root);
}

}  // namespace orbit

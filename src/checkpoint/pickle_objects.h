// What calling a Python class or function would have made: the few that stand in checkpoints are rebuilt by hand, all others
// become opaque entries. Nothing is ever called.
#pragma once
#include "src/checkpoint/pickle_arena.h"

namespace orbit {

class PickleObjects {
 public:
  PickleObjects(PickleArena& arena, const StorageSource& storages) : arena_(arena), storages_(storages) {}

  Ref global(std::string_view module, std::string_view name);  // a class or function by name
  Ref call(Ref callable, Ref arguments);                       // REDUCE, NEWOBJ
  void set_state(Ref object, Ref state);                       // BUILD
  Ref storage(Ref persistent_id);                              // ('storage', class, key, device, numel)

 private:
  using Arguments = const std::vector<Ref>&;
  Ref rebuild_tensor(Arguments arguments, bool has_dtype);
  Ref rebuild_parameter(Arguments arguments);
  Ref rebuild_subclass(Arguments arguments);
  Ref ordered_dict(Arguments arguments);
  Ref encode(Arguments arguments);
  Ref opaque(Ref callable, Arguments arguments);
  std::vector<int64_t> integers(Ref tuple) const;
  bool has_tag(Ref ref, PickleNode::Tag tag) const { return arena_[ref].tag == tag; }
  bool is_marked_view(Ref metadata) const;

  PickleArena& arena_;
  const StorageSource& storages_;
};

}  // namespace orbit

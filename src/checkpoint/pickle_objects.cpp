#include "src/checkpoint/pickle_objects.h"
#include "src/checkpoint/damaged_file.h"
#include "src/checkpoint/tensor_view.h"

namespace orbit {
namespace {
using Tag = PickleNode::Tag;

// Names are compared as Python 3 has them; protocol 2 writes some as Python 2 had them.
std::string_view modern_module(std::string_view module) { return module == "__builtin__" ? "builtins" : module; }

bool is_dict_class(std::string_view name) {
  return name == "collections.OrderedDict" || name == "collections.defaultdict" || name == "collections.Counter" ||
         name == "builtins.dict";
}

// The bytes that a string stands for under Latin-1, whose characters are the numbers of the bytes.
std::string latin1_bytes(std::string_view utf8) {
  std::string raw;
  for (size_t i = 0; i < utf8.size(); ++i) {
    const uint8_t lead = uint8_t(utf8[i]);
    if (lead < 0x80) {
      raw += char(lead);
    } else if ((lead == 0xC2 || lead == 0xC3) && i + 1 < utf8.size() && (uint8_t(utf8[i + 1]) & 0xC0) == 0x80) {
      raw += char(((lead & 3) << 6) | (uint8_t(utf8[++i]) & 0x3F));
    } else {
      throw DamagedFile("a bytes object is written in characters past 255");
    }
  }
  return raw;
}
}  // namespace

Ref PickleObjects::global(std::string_view module, std::string_view name) {
  return arena_.add_text(Tag::kGlobal, arena_.intern(std::string(modern_module(module)) + "." + std::string(name)));
}

Ref PickleObjects::call(Ref callable, Ref arguments_tuple) {
  if (!has_tag(arguments_tuple, Tag::kTuple)) throw DamagedFile("a call without a tuple of arguments");
  Arguments arguments = arena_[arguments_tuple].children;
  if (!has_tag(callable, Tag::kGlobal)) return opaque(callable, arguments);
  const std::string_view name = arena_[callable].text;
  if (name == "torch._utils._rebuild_tensor_v2" || name == "torch._utils._rebuild_tensor")
    return rebuild_tensor(arguments, false);
  if (name == "torch._utils._rebuild_tensor_v3") return rebuild_tensor(arguments, true);
  if (name == "torch._utils._rebuild_parameter" || name == "torch._utils._rebuild_parameter_with_state") {
    return rebuild_parameter(arguments);
  }
  if (name == "torch._tensor._rebuild_from_type_v2" || name == "torch.tensor._rebuild_from_type_v2")
    return rebuild_subclass(arguments);
  if (is_dict_class(name)) return ordered_dict(arguments);
  if (name == "_codecs.encode") return encode(arguments);
  const bool one = arguments.size() == 1;
  if (name == "torch.Size" && one && (has_tag(arguments[0], Tag::kTuple) || has_tag(arguments[0], Tag::kList))) {
    return arena_.add_container(Tag::kTuple, std::vector<Ref>(arena_[arguments[0]].children));
  }
  if (name == "builtins.bytes" || name == "builtins.bytearray") {
    if (arguments.empty()) return arena_.add_text(Tag::kBytes, {});
    if (one && has_tag(arguments[0], Tag::kBytes)) return arguments[0];
    if (arguments.size() == 2 && has_tag(arguments[0], Tag::kString)) return encode(arguments);
  }
  return opaque(callable, arguments);
}

Ref PickleObjects::opaque(Ref callable, Arguments arguments) {
  std::vector<Ref> parts(arguments);
  const Ref made = arena_.add_container(Tag::kOpaque, std::move(parts));
  const Tag tag = arena_[callable].tag;
  arena_[made].text = tag == Tag::kGlobal || tag == Tag::kOpaque ? arena_[callable].text : "object";
  return made;
}

// The state of dicts (a state_dict's _metadata) and of tensors says nothing about their values.
void PickleObjects::set_state(Ref object, Ref state) {
  if (has_tag(object, Tag::kOpaque)) arena_[object].children.push_back(state);
}

Ref PickleObjects::storage(Ref persistent_id) {
  const auto& parts = arena_[persistent_id].children;
  const bool well_formed = has_tag(persistent_id, Tag::kTuple) && parts.size() >= 5 && has_tag(parts[0], Tag::kString) &&
                           arena_[parts[0]].text == "storage" && has_tag(parts[1], Tag::kGlobal) &&
                           has_tag(parts[2], Tag::kString) && has_tag(parts[3], Tag::kString) && has_tag(parts[4], Tag::kInt);
  if (!well_formed) throw DamagedFile("a reference to a storage is malformed");
  const std::string_view path = arena_[parts[1]].text, class_name = path.substr(path.rfind('.') + 1);
  const auto dtype = dtype_by_storage(class_name);
  if (!dtype && class_name != "UntypedStorage") throw DamagedFile("it has a storage of the unknown class " + printable(path));
  const int64_t numel = arena_[parts[4]].integer;
  const auto bytes = int64_t(storages_(arena_[parts[2]].text, 1)->bytes.size());
  if (numel < 0 || numel > bytes / (dtype ? dtype_info(*dtype).size : 1))
    throw DamagedFile("a storage is larger than its record");
  PickleNode node;
  node.tag = Tag::kStorage;
  node.integer = dtype ? int64_t(*dtype) : PickleArena::kUntyped;
  node.text = arena_[parts[2]].text;
  node.children = {parts[3]};  // its device
  return arena_.add(std::move(node));
}

std::vector<int64_t> PickleObjects::integers(Ref tuple) const {
  if (!has_tag(tuple, Tag::kTuple) && !has_tag(tuple, Tag::kList))
    throw DamagedFile("a tensor's sizes or strides are no tuple");
  std::vector<int64_t> numbers;
  for (Ref child : arena_[tuple].children) {
    if (!has_tag(child, Tag::kInt)) throw DamagedFile("a tensor's sizes or strides are no integers");
    numbers.push_back(arena_[child].integer);
  }
  return numbers;
}

// Lazily conjugated or negated: the stored bytes are not the values.
bool PickleObjects::is_marked_view(Ref metadata) const {
  return has_tag(metadata, Tag::kDict) && !arena_[metadata].children.empty();
}

// (storage, offset, sizes, strides, requires_grad, hooks[, dtype][, metadata])
Ref PickleObjects::rebuild_tensor(Arguments arguments, bool has_dtype) {
  const size_t metadata = has_dtype ? 7 : 6;
  if (arguments.size() < (has_dtype ? 7u : 4u)) throw DamagedFile("a tensor is described by too few values");
  const Ref source = arguments[0];
  if (!has_tag(source, Tag::kStorage) || !has_tag(arguments[1], Tag::kInt))
    throw DamagedFile("a tensor has no storage or offset");
  TensorView view;
  if (has_dtype) {
    std::string_view name = arena_[arguments[6]].text;
    const auto dtype =
        has_tag(arguments[6], Tag::kGlobal) && name.starts_with("torch.") ? dtype_by_name(name.substr(6)) : std::nullopt;
    if (!dtype) throw DamagedFile("a tensor has the unknown dtype " + printable(name));
    view.dtype = *dtype;
  } else {
    view.dtype = arena_[source].integer == PickleArena::kUntyped ? DType::kUInt8 : DType(arena_[source].integer);
  }
  view.storage = storages_(arena_[source].text, dtype_info(view.dtype).swap);
  view.offset = arena_[arguments[1]].integer;
  view.sizes = integers(arguments[2]);
  view.strides = integers(arguments[3]);
  view.requires_grad = arguments.size() > 4 && arguments[4] == PickleArena::kTrue;
  view.device = std::string(arena_[arena_[source].children[0]].text.substr(0, 32));
  check_view(view);
  const Ref tensor = arena_.add_tensor(std::move(view));
  if (arguments.size() <= metadata || !is_marked_view(arguments[metadata])) return tensor;
  const Ref marked = arena_.add_container(Tag::kOpaque, {tensor, arguments[metadata]});
  arena_[marked].text = "lazily conjugated or negated tensor";
  return marked;
}

// (data, requires_grad, hooks[, state])
Ref PickleObjects::rebuild_parameter(Arguments arguments) {
  if (arguments.size() < 2) throw DamagedFile("a parameter is described by too few values");
  if (!has_tag(arguments[0], Tag::kTensor)) return arguments[0];  // of a kind that we keep opaque
  TensorView view = arena_.tensor(arguments[0]);
  view.is_parameter = true;
  view.requires_grad = arguments[1] == PickleArena::kTrue;
  return arena_.add_tensor(std::move(view));
}

// (rebuild function, class, its arguments, state): the tensor without what a subclass adds to it.
Ref PickleObjects::rebuild_subclass(Arguments arguments) {
  if (arguments.size() < 3) throw DamagedFile("a tensor is described by too few values");
  const Ref function = arguments[0];
  if (has_tag(function, Tag::kGlobal) && arena_[function].text.starts_with("torch._utils._rebuild_"))
    return call(function, arguments[2]);
  return opaque(arguments[1], std::vector<Ref>(arguments));
}

// An empty dict, or one made from a list of pairs, as Python 2 wrote it; a defaultdict's factory is left out.
Ref PickleObjects::ordered_dict(Arguments arguments) {
  std::vector<Ref> contents;
  if (!arguments.empty() && has_tag(arguments[0], Tag::kDict)) contents = arena_[arguments[0]].children;
  if (!arguments.empty() && has_tag(arguments[0], Tag::kList)) {
    for (Ref pair : arena_[arguments[0]].children) {
      const auto& both = arena_[pair].children;
      const bool is_pair = (has_tag(pair, Tag::kTuple) || has_tag(pair, Tag::kList)) && both.size() == 2;
      if (!is_pair) throw DamagedFile("an ordered dict is not made of pairs");
      contents.insert(contents.end(), both.begin(), both.end());
    }
  }
  return arena_.add_container(Tag::kDict, std::move(contents));
}

// _codecs.encode(string, "latin1"): how protocol 2 writes bytes.
Ref PickleObjects::encode(Arguments arguments) {
  if (arguments.empty() || !has_tag(arguments[0], Tag::kString)) throw DamagedFile("a bytes object is malformed");
  return arena_.add_text(Tag::kBytes, arena_.keep(latin1_bytes(arena_[arguments[0]].text)));
}

}  // namespace orbit

#include "src/checkpoint/state_dict_search.h"
#include <algorithm>
#include <array>
#include <unordered_set>
#include "src/common/error.h"

namespace orbit {
namespace {
using Named = std::vector<std::pair<std::string, PtValue>>;

// Keys that hold the model itself; others (ema, grad, ref_state_dict) only count if none of these is there.
constexpr std::array<std::string_view, 12> kUsualKeys = {
    "model", "model_state_dict", "state_dict", "policy", "policy_state_dict", "actor_critic", "network", "net",
    "agent", "module",           "params",     "weights"};

bool is_usual(std::string_view key) { return std::find(kUsualKeys.begin(), kUsualKeys.end(), key) != kUsualKeys.end(); }

// A dict of tensors by string, with nothing else in it but None and the extra state of modules.
bool is_state_dict(const PtValue& value) {
  if (!value.is_dict()) return false;
  size_t tensors = 0;
  for (const auto& [key, entry] : value.entries()) {
    if (!key.is_string()) return false;
    tensors += entry.is_tensor();
    if (!entry.is_tensor() && !entry.is_none() && !key.as_string().ends_with("_extra_state")) return false;
  }
  return tensors > 0;
}

Named tensors_of(const PtValue& dict) {
  Named named;
  for (const auto& [key, entry] : dict.entries()) {
    if (key.is_string() && entry.is_tensor()) named.emplace_back(key.as_string(), entry);
  }
  return named;
}

// The attributes of an object: the dict among its parts, if there is one.
const PtValue* attributes(const PtValue& object) {
  if (object.kind() != PtValue::Kind::kOpaque) return nullptr;
  for (const PtValue& part : object.items()) {
    if (part.is_dict()) return &part;
  }
  return nullptr;
}

// The state_dict of a module that was saved whole: its own parameters and buffers, then those of its children.
void collect_module(const PtValue& module, const std::string& prefix, Named& out) {
  const PtValue* own = attributes(module);
  if (own == nullptr) return;
  for (const char* part : {"_parameters", "_buffers"}) {
    const PtValue* dict = own->find(part);
    if (dict == nullptr || !dict->is_dict()) continue;
    for (auto& [name, tensor] : tensors_of(*dict)) out.emplace_back(prefix + name, std::move(tensor));
  }
  const PtValue* children = own->find("_modules");
  if (children == nullptr || !children->is_dict()) return;
  for (const auto& [name, child] : children->entries()) {
    if (name.is_string()) collect_module(child, prefix + name.as_string() + ".", out);
  }
}

struct Candidate {
  std::string path;  // "outer.model"
  Named tensors;
  bool usual;
};

Named parameters_in(const PtValue& value) {
  if (is_state_dict(value)) return tensors_of(value);
  Named named;
  collect_module(value, "", named);
  return named;
}

// What fits among the dict's values; among their values if nothing does, down to three levels.
std::vector<Candidate> candidates(const PtValue& dict, const std::string& path, int depth) {
  std::vector<Candidate> found;
  if (!dict.is_dict()) return found;
  for (const auto& [key, value] : dict.entries()) {
    if (!key.is_string()) continue;
    Named named = parameters_in(value);
    if (!named.empty()) found.push_back({path + key.as_string(), std::move(named), is_usual(key.as_string())});
  }
  if (!found.empty() || depth == 0) return found;
  for (const auto& [key, value] : dict.entries()) {
    if (!key.is_string()) continue;
    for (Candidate& inner : candidates(value, path + key.as_string() + ".", depth - 1)) found.push_back(std::move(inner));
  }
  return found;
}

std::string paths_of(const std::vector<Candidate>& found) {
  std::string text;
  for (const Candidate& candidate : found) text += (text.empty() ? "" : ", ") + printable(candidate.path);
  return text;
}

Named choose(const PtValue& value, const std::string& file) {
  Named own = parameters_in(value);
  if (!own.empty()) return own;
  std::vector<Candidate> found = candidates(value, "", 2);
  const auto usual = std::count_if(found.begin(), found.end(), [](const Candidate& c) { return c.usual; });
  if (usual > 0) std::erase_if(found, [](const Candidate& c) { return !c.usual; });
  if (found.size() > 1)
    throw UserError(file + ": parameters are under several keys (" + paths_of(found) + "); name one of them as the key");
  if (found.size() == 1) return std::move(found[0].tensors);
  if (value.is_dict()) own = tensors_of(value);  // parameters and other things side by side
  if (own.empty())
    throw UserError(file + ": holds no state_dict (no dict of tensors by name); save model.state_dict() into it");
  return own;
}

// Names as the bare model has them: without what DataParallel and torch.compile put before them.
void strip_wrappers(Named& named) {
  constexpr std::string_view kCompiled = "_orig_mod.", kParallel = "module.";
  for (auto& [name, tensor] : named) {
    for (size_t at = name.find(kCompiled); at != std::string::npos; at = name.find(kCompiled, at)) {
      if (at == 0 || name[at - 1] == '.') {
        name.erase(at, kCompiled.size());
      } else {
        at += kCompiled.size();
      }
    }
  }
  // "module" may be the name of a part of the model, so only where all names have it.
  while (!named.empty() &&
         std::all_of(named.begin(), named.end(), [&](const auto& n) { return n.first.starts_with(kParallel); })) {
    for (auto& [name, tensor] : named) name.erase(0, kParallel.size());
  }
}
}  // namespace

const PtValue* find_path(const PtValue& value, std::string_view key) {
  if (!value.is_dict()) return nullptr;
  if (const PtValue* found = value.find(key)) return found;
  for (size_t dot = key.find('.'); dot != std::string_view::npos; dot = key.find('.', dot + 1)) {
    const PtValue* outer = value.find(key.substr(0, dot));
    const PtValue* found = outer == nullptr ? nullptr : find_path(*outer, key.substr(dot + 1));
    if (found != nullptr) return found;
  }
  return nullptr;
}

std::vector<std::pair<std::string, PtValue>> search_state_dict(const PtValue& value, const std::string& file,
                                                               const std::string& key) {
  Named named;
  if (key.empty()) {
    named = choose(value, file);
  } else {
    const PtValue* chosen = find_path(value, key);
    if (chosen == nullptr) {
      const std::string known = paths_of(candidates(value, "", 2));
      throw UserError(file + ": has no key \"" + printable(key) +
                      "\"; parameters are under: " + (known.empty() ? "none" : known));
    }
    named = choose(*chosen, file);
  }
  strip_wrappers(named);
  std::unordered_set<std::string> names;
  for (const auto& [name, tensor] : named) {
    if (!names.insert(name).second)
      throw UserError(file + ": has the parameter " + printable(name) + " twice once wrapper prefixes are removed");
  }
  return named;
}

}  // namespace orbit

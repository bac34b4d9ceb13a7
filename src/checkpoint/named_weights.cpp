#include "src/checkpoint/named_weights.h"
#include <ATen/core/grad_mode.h>
#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include "src/checkpoint/checkpoint_file.h"
#include "src/checkpoint/pt_tensor.h"
#include "src/checkpoint/state_dict_search.h"
#include "src/common/error.h"

namespace orbit {
namespace {
std::string shape_of(const at::Tensor& tensor) {
  std::string text = "(";
  for (int64_t d = 0; d < tensor.dim(); ++d) text += (d == 0 ? "" : ", ") + std::to_string(tensor.size(d));
  return text + ")";
}

// A list for an error line, whole unless it is absurdly long.
std::string joined(const std::vector<std::string>& names) {
  constexpr size_t kMost = 400;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + printable(names[i]);
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

bool begins_with_any(const std::string& name, const std::vector<std::string>& prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) { return name.starts_with(prefix); });
}

// Numbers of one kind convert into each other (bfloat16 into float32); 0.5 into an integer would not.
bool same_kind(const at::Tensor& a, const at::Tensor& b) {
  return a.is_floating_point() == b.is_floating_point() && a.is_complex() == b.is_complex() &&
         (a.scalar_type() == at::kBool) == (b.scalar_type() == at::kBool);
}

// What keeps the source from being the target, as it goes into the error line.
struct Differences {
  std::vector<std::string> missing, unexpected, shapes, kinds, absent;

  std::string text() const {
    std::string out;
    const std::array<std::pair<const char*, const std::vector<std::string>*>, 4> parts = {
        {{"missing", &missing}, {"unexpected", &unexpected}, {"wrong shape", &shapes}, {"wrong kind of number", &kinds}}};
    for (const auto& [title, names] : parts) {
      if (!names->empty()) out += (out.empty() ? "" : "; ") + std::string(title) + ": " + joined(*names);
    }
    return out;
  }
};

using ByName = std::unordered_map<std::string, at::Tensor>;

Differences compare(const NamedTensors& target, const NamedTensors& source, const ByName& by_name,
                    const std::vector<std::string>& optional) {
  Differences found;
  std::unordered_set<std::string> expected;
  size_t present = 0;  // of the optional ones
  for (const auto& [name, tensor] : target) {
    expected.insert(name);
    const auto given = by_name.find(name);
    const bool is_optional = begins_with_any(name, optional);
    if (given == by_name.end()) {
      (is_optional ? found.absent : found.missing).push_back(is_optional ? name : name + " " + shape_of(tensor));
      continue;
    }
    present += is_optional;
    if (given->second.sizes() != tensor.sizes()) {
      found.shapes.push_back(name + " " + shape_of(given->second) + " instead of " + shape_of(tensor));
    } else if (!same_kind(given->second, tensor)) {
      found.kinds.push_back(name + " " + std::string(c10::toString(given->second.scalar_type())) + " instead of " +
                            c10::toString(tensor.scalar_type()));
    }
  }
  if (present != 0) found.missing.insert(found.missing.end(), found.absent.begin(), found.absent.end());  // all of them or none
  for (const auto& [name, tensor] : source) {
    if (!expected.contains(name)) found.unexpected.push_back(name + " " + shape_of(tensor));
  }
  return found;
}
}  // namespace

NamedTensors find_state_dict(const PtValue& value, const std::string& file, const std::string& key) {
  NamedTensors tensors;
  for (auto& [name, tensor] : search_state_dict(value, file, key)) tensors.emplace_back(std::move(name), to_tensor(tensor));
  return tensors;
}

NamedTensors read_state_dict(const std::string& file, const std::string& key) {
  return find_state_dict(read_checkpoint(file), file, key);
}

std::vector<std::string> names_of(const NamedTensors& tensors) {
  std::vector<std::string> names;
  for (const auto& [name, tensor] : tensors) names.push_back(name);
  return names;
}

PtValue state_dict_value(const NamedTensors& parameters) {
  PtValue dict = PtValue::dict();
  for (const auto& [name, tensor] : parameters) dict.set(name, from_tensor(tensor));
  return dict;
}

std::vector<std::string> load_by_name(const NamedTensors& target, const NamedTensors& source,
                                      const std::vector<std::string>& may_be_missing, const std::string& file) {
  const ByName by_name(source.begin(), source.end());
  const Differences found = compare(target, source, by_name, may_be_missing);
  const std::string text = found.text();
  if (!text.empty()) {
    throw UserError(file + ": its parameters are not those of this policy (" + text +
                    "); check the sizes in the config, or name another file or key");
  }
  const at::NoGradGuard no_grad;
  for (const auto& [name, tensor] : target) {
    const auto given = by_name.find(name);
    if (given != by_name.end()) at::Tensor(tensor).copy_(given->second);
  }
  return found.absent;
}

}  // namespace orbit

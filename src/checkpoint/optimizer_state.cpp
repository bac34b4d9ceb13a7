#include "src/checkpoint/optimizer_state.h"
#include <ATen/core/grad_mode.h>
#include <algorithm>
#include <unordered_map>
#include "src/checkpoint/checkpoint_file.h"
#include "src/checkpoint/named_weights.h"
#include "src/checkpoint/pt_tensor.h"
#include "src/checkpoint/state_dict_search.h"
#include "src/common/error.h"

namespace orbit {
namespace {

// Parameter names by the number that the file gives them: the groups' param_names, or the model's order.
std::unordered_map<int64_t, std::string> names_by_number(const PtValue& value, const std::vector<std::string>& saved_names,
                                                         const std::string& path) {
  std::unordered_map<int64_t, std::string> names;
  size_t place = 0;  // in the order of the groups, which is that of the model
  for (const PtValue& group : value.at("param_groups").items()) {
    const PtValue* own = group.find("param_names");
    const auto& numbers = group.at("params").items();
    for (size_t i = 0; i < numbers.size(); ++i, ++place) {
      const bool named = own != nullptr && i < own->items().size();
      if (!named && place >= saved_names.size()) throw UserError(path + ": its optimizer has more parameters than its model");
      names[numbers[i].as_int()] = named ? own->items()[i].as_string() : saved_names[place];
    }
  }
  return names;
}

void copy_moment(const PtValue& from, const at::Tensor& to, const std::string& what, const std::string& path) {
  const at::Tensor t = to_tensor(from);
  if (t.sizes() != to.sizes()) throw UserError(path + ": " + what + " has another shape than the parameter; is it another network's?");
  to.copy_(t);
}

}  // namespace

PtValue optimizer_value(const AdamW& optimizer) {
  PtValue moments = PtValue::dict(), indices = PtValue::list();
  const auto& m = optimizer.first_moments();
  const auto& v = optimizer.second_moments();
  for (size_t i = 0; i < m.size(); ++i) {
    PtValue entry = PtValue::dict();
    entry.set("step", from_tensor(optimizer.steps_done().clone()));
    entry.set("exp_avg", from_tensor(m[i]));
    entry.set("exp_avg_sq", from_tensor(v[i]));
    moments.set(int64_t(i), entry);
    indices.append(int64_t(i));
  }
  const AdamWOptions& o = optimizer.options();
  PtValue group = PtValue::dict();
  group.set("lr", optimizer.learning_rate().item<double>());
  group.set("betas", PtValue::tuple({PtValue(o.beta1), PtValue(o.beta2)}));
  group.set("eps", o.eps);
  group.set("weight_decay", o.weight_decay);
  for (const char* off : {"amsgrad", "maximize", "capturable", "differentiable"}) group.set(off, false);
  group.set("foreach", PtValue());
  group.set("fused", PtValue());
  group.set("decoupled_weight_decay", true);
  group.set("params", indices);
  PtValue value = PtValue::dict();
  value.set("state", moments);
  value.set("param_groups", PtValue::list({group}));
  return value;
}

void load_optimizer(const PtValue& value, const std::vector<std::string>& saved_names, const std::vector<std::string>& names,
                    AdamW& optimizer, const std::string& path) {
  at::NoGradGuard no_gradients;
  const auto by_number = names_by_number(value, saved_names, path);
  if (by_number.size() != names.size())
    throw UserError(path + ": its optimizer holds " + std::to_string(by_number.size()) + " parameters, this network has " +
                    std::to_string(names.size()));
  int64_t steps = 0;
  for (const auto& [key, entry] : value.at("state").entries()) {
    const auto named = by_number.find(key.as_int());
    const auto own = named == by_number.end() ? names.end() : std::find(names.begin(), names.end(), named->second);
    if (own == names.end()) throw UserError(path + ": its optimizer has moments of a parameter that this network has not");
    const auto i = size_t(own - names.begin());
    copy_moment(entry.at("exp_avg"), optimizer.first_moments()[i], "exp_avg of " + *own, path);
    copy_moment(entry.at("exp_avg_sq"), optimizer.second_moments()[i], "exp_avg_sq of " + *own, path);
    const PtValue& step = entry.at("step");  // a number in files of before PyTorch 1.12
    steps = std::max(steps, step.is_tensor() ? int64_t(to_tensor(step).item<double>()) : int64_t(step.as_double()));
  }
  optimizer.set_steps_done(steps);
}

void read_optimizer(const std::string& file, const std::string& key, const std::string& model_key, const std::vector<std::string>& names,
                    AdamW& optimizer) {
  const PtValue value = read_checkpoint(file);
  const PtValue* state = find_path(value, key);
  if (state == nullptr || state->find("state") == nullptr || state->find("param_groups") == nullptr)
    throw UserError(file + ": holds no state_dict of an optimizer under \"" + printable(key) + "\"; save optimizer.state_dict() there");
  load_optimizer(*state, names_of(find_state_dict(value, file, model_key)), names, optimizer, file);
}

}  // namespace orbit

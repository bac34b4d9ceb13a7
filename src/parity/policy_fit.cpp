#include "src/parity/policy_fit.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "src/policy/orbit_weights.h"

namespace orbit {
namespace {

using Shape = std::vector<int64_t>;
using Shapes = std::map<std::string, Shape>;

constexpr int64_t kMaxSize = 1 << 16;  // of what a damaged file may claim; the released size is 192

std::string shape_text(const std::string& name, const Shape& shape) {
  std::string text = name + " (";
  for (size_t d = 0; d < shape.size(); ++d) text += (d == 0 ? "" : ", ") + std::to_string(shape[d]);
  return text + ")";
}

std::optional<OrbitPolicyConfig> sizes_of(const Shapes& shapes) {
  const auto size = [&](const std::string& name, size_t dimensions, size_t d) -> int64_t {
    const auto found = shapes.find(name);
    if (found == shapes.end() || found->second.size() != dimensions) return 0;
    const int64_t given = found->second[d];
    return given > 0 && given <= kMaxSize ? given : 0;
  };
  OrbitPolicyConfig config;
  config.attn_heads = 1;
  config.hidden = size("backbone.in_proj.weight", 2, 0);
  config.inducing_points = size("backbone.encoder.0.inducing", 3, 1);
  for (config.encoder_layers = 0; shapes.contains("backbone.encoder." + std::to_string(config.encoder_layers) + ".inducing");) ++config.encoder_layers;
  if (config.hidden == 0 || config.inducing_points == 0) return std::nullopt;
  return config;
}

std::string joined(const char* title, const std::vector<std::string>& names) {
  constexpr size_t kMost = 20;
  if (names.empty()) return "";
  std::string text = std::string("; ") + title + ": ";
  for (size_t i = 0; i < std::min(names.size(), kMost); ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() > kMost ? text + " and " + std::to_string(names.size() - kMost) + " more" : text;
}

}  // namespace

PolicyFit fit_orbit_policy(const std::vector<std::pair<std::string, PtValue>>& parameters) {
  Shapes shapes;
  for (const auto& [name, tensor] : parameters) shapes[name] = tensor.as_tensor_view().sizes;
  PolicyFit fit;
  fit.sizes = sizes_of(shapes);
  if (!fit.sizes) return fit;
  std::vector<NamedTensor> expected;
  allocate_weights(*fit.sizes, expected, at::kMeta);
  const auto of_value = [](const std::string& name) {
    return name.starts_with("value_head.") || name.starts_with("ship_log_std.");
  };
  size_t value_tensors = 0, value_missing = 0;
  for (const auto& [name, tensor] : expected) {
    const Shape shape = tensor.sizes().vec();
    const auto found = shapes.find(name);
    value_tensors += of_value(name);
    if (found == shapes.end()) {
      fit.missing.push_back(shape_text(name, shape));
      value_missing += of_value(name);
      continue;
    }
    if (found->second != shape)
      fit.wrong_shape.push_back(shape_text(name, found->second) + " instead of " + shape_text("", shape).substr(1));
    shapes.erase(found);
  }
  for (const auto& [name, shape] : shapes) fit.unexpected.push_back(shape_text(name, shape));
  fit.imitation_learned = value_missing == value_tensors && fit.missing.size() == value_tensors;
  return fit;
}

std::string PolicyFit::text() const {
  if (!sizes)
    return "none of ours: orbit_v1 has backbone.in_proj.weight (hidden, 41) and backbone.encoder.0.inducing (1, points, hidden)";
  const std::string of = "orbit_v1 with hidden " + std::to_string(sizes->hidden) + ", inducing_points " +
                         std::to_string(sizes->inducing_points) + ", encoder_layers " + std::to_string(sizes->encoder_layers) + " (attn_heads and no_op_bias are not in a file)";
  if (fits() && imitation_learned) return of + ", imitation-learned: for bc_warmstart, value_head and ship_log_std start fresh";
  if (fits()) return of;
  return "nearly " + of + joined("missing", missing) + joined("unexpected", unexpected) + joined("wrong shape", wrong_shape);
}

std::string PolicyFit::json_line() const {
  nlohmann::ordered_json row = {{"kind", "fit"},
                                {"policy", sizes ? "orbit_v1" : ""},
                                {"fits", fits()},
                                {"imitation_learned", imitation_learned}};
  if (sizes)
    row["sizes"] = {{"hidden", sizes->hidden},
                    {"inducing_points", sizes->inducing_points},
                    {"encoder_layers", sizes->encoder_layers}};
  row["missing"] = missing, row["unexpected"] = unexpected, row["wrong_shape"] = wrong_shape;
  return row.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace orbit

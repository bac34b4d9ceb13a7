// Which of our policies a file's parameters are, of which sizes, and what stands in the way.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "src/checkpoint/pt_value.h"
#include "src/policy/orbit_policy.h"

namespace orbit {

struct PolicyFit {
  // The sizes that the shapes give; attn_heads, no_op_bias and dropout leave no trace in a file. None: not even a beginning of
  // orbit_v1 is there.
  std::optional<OrbitPolicyConfig> sizes;
  std::vector<std::string> missing, unexpected, wrong_shape;  // "name (shape)"
  bool imitation_learned = false;                             // value_head and ship_log_std, and nothing else, are missing

  bool fits() const { return sizes && unexpected.empty() && wrong_shape.empty() && (missing.empty() || imitation_learned); }
  std::string text() const;
  std::string json_line() const;  // kind "fit", policy, fits, imitation_learned, sizes, missing, unexpected, wrong_shape
};

// `parameters`: names and tensors, as search_state_dict gives them.
PolicyFit fit_orbit_policy(const std::vector<std::pair<std::string, PtValue>>& parameters);

}  // namespace orbit

// The networks of small environments as the text of a TorchScript module, over parameters of the state_dict's names: the same operators
// in the same order as mlp_policy.cpp and rnn_policy.cpp. Outputs are logits of the choices one after the other, or means of the
// continuous numbers before any squashing (src/policy/mlp_actions.h says what actions they stand for).
#pragma once
#include <string>
#include "src/policy/action_space.h"
#include "src/policy/mlp_policy.h"
#include "src/policy/rnn_policy.h"

namespace orbit {

std::string mlp_script_source(const MlpPolicyConfig& config, const ActionSpace& space);
std::string rnn_script_source(const RnnPolicyConfig& config, const ActionSpace& space);

}  // namespace orbit

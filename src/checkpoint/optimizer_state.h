// AdamW's moments as torch.optim.AdamW.state_dict() has them, in and out.
#pragma once
#include <string>
#include <vector>

#include "src/checkpoint/pt_value.h"
#include "src/ppo/adamw.h"

namespace orbit {

// state (step, exp_avg, exp_avg_sq by index) and one parameter group, indices in the order of the optimizer's parameters.
// Loads in Python with load_state_dict.
PtValue optimizer_value(const AdamW& optimizer);

// Fills the moments and the step count; learning rate and weight decay stay those of the config. Python numbers parameters in
// the order of its model: `saved_names` are the names in that order (those of the state_dict beside the optimizer), `names` ours.
// param_names in a group go before both. Parameters that never had a gradient have no entry and start at zero.
// Another optimizer or shape is a UserError.
void load_optimizer(const PtValue& value, const std::vector<std::string>& saved_names, const std::vector<std::string>& names,
                    AdamW& optimizer, const std::string& path);

// The same from a file, where the state_dict of an optimizer is under `key` ("optimizer", "outer.optimizer"), and that of its
// model under `model_key`, or where find_state_dict finds it.
void read_optimizer(const std::string& file, const std::string& key, const std::string& model_key, const std::vector<std::string>& names,
                    AdamW& optimizer);

}  // namespace orbit

// last.pt: everything that a run needs to go on exactly where it was. An ordinary .pt file; model and optimizer load in Python
// by name (torch.load(weights_only=True), load_state_dict). No time, path or host is in it: equal runs give equal files.
#pragma once
#include <string>
#include "src/train_state.h"

namespace orbit {

// batch: the rollout of the present iteration; written only where state.updates is set.
void save_run_state(const std::string& path, const TrainState& state, const RolloutBatch& batch);

// Fills a state made from the same config. A file of another network or format: UserError that says what differs.
void load_run_state(const std::string& path, TrainState& state, RolloutBatch& batch);

// The weights alone, as a plain state_dict.
void save_weights(const std::string& path, const Policy& policy);

}  // namespace orbit

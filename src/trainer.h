// The run from its config to its last checkpoint.
#pragma once
#include <string>
#include "src/config/config.h"

namespace orbit {

struct TrainOptions {
  std::string config_path;  // names a new run
  std::string resume;       // "" or "auto": a new run; else the folder of the one that goes on (run_folder.h)
  bool dry_run = false;     // print the sizes of parameters, state and buffers, and stop
};

// Returns the exit code.
int train(const Config& config, const TrainOptions& options);

}  // namespace orbit

// What --resume means: which run goes on, under which settings.
#pragma once
#include <string>
#include <vector>
#include "src/config/load.h"

namespace orbit {

struct RunChoice {
  Config config;
  std::string folder;         // the run that goes on; "" for a new one
  bool finished = false;      // it has done all its iterations already, and written its report
  std::vector<std::string> notes;  // for the log: settings that differ from the run so far
};

// `resume` is "" (a new run), "auto" (the newest run in output.run_dir that has saved, else a new one; with output.run_name
// that run alone) or a run's folder. A run that goes on keeps its own config.yaml; what was edited in the config file since the
// run began, and --set, are applied over it. `config_path` may be empty where `resume` names a folder. Throws UserError where
// nothing was saved there, or a setting changed that a run cannot change on the way.
RunChoice choose_run(const std::string& config_path, const std::vector<std::string>& overrides, const std::string& resume);

}  // namespace orbit

// What the folder of a run says about it, read back for reports.
#pragma once
#include <string>
#include <utility>
#include <vector>
#include "src/config/config.h"
#include "src/report/metrics.h"

namespace orbit {

struct RunRecord {
  std::string name;                // of its folder
  std::string status = "running";  // or "stopped", "finished"
  std::string started;             // local time with offset, "" where run.json is gone
  Config config;
  std::vector<std::pair<std::string, std::string>> machine;  // of run.json: host, cpu, ...
  std::vector<MetricsRow> rows;
};

// Throws UserError where the folder is none of a run.
RunRecord read_run(const std::string& folder);

// The runs that a list of folders names: each is a run itself, or holds runs (by name). Throws UserError where one is neither.
std::vector<RunRecord> read_runs(const std::vector<std::string>& folders);

}  // namespace orbit

// One self-contained page about runs: results, curves with the spread over seeds, where the time went, settings, machines. No
// script, nothing fetched; readable on a phone and in dark mode.
#pragma once
#include <string>
#include <vector>
#include "src/report/run_record.h"

namespace orbit {

std::string html_report(const std::string& title, const std::vector<RunRecord>& runs);

}  // namespace orbit

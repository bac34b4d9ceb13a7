// One self-contained page about a run: curves, evaluation, settings, machine. No script, nothing fetched.
#pragma once
#include <string>
#include <vector>
#include "src/config/config.h"
#include "src/report/metrics.h"

namespace orbit {

std::string html_report(const std::string& title, const Config& config, const std::vector<MetricsRow>& rows);

}  // namespace orbit

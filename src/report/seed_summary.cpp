#include "src/report/seed_summary.h"
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include "src/report/seed_spread.h"

namespace orbit {
namespace {

// The last value of every metric, in the order of the last row, then what earlier rows had besides.
std::vector<std::pair<std::string, double>> last_values(const std::vector<MetricsRow>& rows) {
  MetricsRow last;
  for (auto row = rows.rbegin(); row != rows.rend(); ++row)
    for (const auto& [name, value] : row->values())
      if (!last.find(name)) last.set(name, value);
  return last.values();
}

bool is_result(const std::string& name) {
  return name != "iteration" && !name.starts_with("time_") && !name.ends_with("_per_second");
}

}  // namespace

std::vector<SeedStatistic> summarize_seeds(const std::vector<std::vector<MetricsRow>>& runs) {
  std::vector<SeedStatistic> all;
  if (runs.empty()) return all;
  std::vector<MetricsRow> ends;
  for (const auto& rows : runs) {
    MetricsRow& end = ends.emplace_back();
    for (const auto& [name, value] : last_values(rows)) end.set(name, value);
  }
  for (const auto& [name, unused] : ends[0].values()) {
    if (!is_result(name)) continue;
    SeedStatistic s{name, {}};
    for (const MetricsRow& end : ends)
      if (const auto value = end.find(name)) s.values.push_back(*value);
    if (s.values.size() != runs.size()) continue;
    const double n = double(s.values.size());
    for (const double v : s.values) s.mean += v / n;
    for (const double v : s.values) s.deviation += (v - s.mean) * (v - s.mean);
    s.deviation = n > 1 ? std::sqrt(s.deviation / (n - 1)) : 0;
    const double half = mean_half_width(s.deviation, s.values.size());
    s.low = s.mean - half, s.high = s.mean + half;
    all.push_back(std::move(s));
  }
  return all;
}

std::string seed_summary_json(const std::vector<int64_t>& seeds, const std::vector<SeedStatistic>& statistics) {
  nlohmann::ordered_json summary = {{"seeds", seeds}};
  for (const SeedStatistic& s : statistics)
    summary["metrics"][s.name] = {{"mean", s.mean}, {"deviation", s.deviation}, {"interval", {s.low, s.high}}, {"values", s.values}};
  return summary.dump(2) + "\n";
}

std::string seed_summary_text(const std::vector<SeedStatistic>& statistics) {
  std::string text;
  for (const SeedStatistic& s : statistics) {
    if (s.name != "episode_return" && s.name != "evaluation_return" && s.name != "win_rate" && !s.name.starts_with("win_rate_")) continue;
    char line[160];
    std::snprintf(line, sizeof line, "  %-24s %.4f  (95%% interval of the mean %.4f to %.4f)\n", s.name.c_str(), s.mean, s.low, s.high);
    text += line;
  }
  return text;
}

}  // namespace orbit

#include "src/report/seed_spread.h"
#include <algorithm>
#include <cmath>
#include <map>
#include "src/config/load.h"
#include "src/eval/match.h"

namespace orbit {
namespace {

Settings compared_settings(const Config& config) {
  Settings settings = settings_of(config);
  std::erase_if(settings, [](const auto& s) {
    return s.first.starts_with("output.") || s.first == "training.seed" || s.first == "device.threads";
  });
  return settings;
}

// t(0.975, n) for n = 1 to 30 degrees of freedom.
constexpr double kStudent[] = {12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
                               2.120,  2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042};

bool is_proportion(const std::string& metric) { return metric.starts_with("win_rate") || metric == "evaluation_terminated"; }

}  // namespace

std::vector<RunGroup> group_runs(const std::vector<RunRecord>& runs) {
  std::vector<RunGroup> groups;
  std::vector<Settings> settings;
  for (const RunRecord& run : runs) {
    const Settings own = compared_settings(run.config);
    const size_t i = size_t(std::find(settings.begin(), settings.end(), own) - settings.begin());
    if (i == groups.size()) {
      groups.push_back({run.name, {}});
      settings.push_back(own);
    }
    groups[i].runs.push_back(&run);
  }
  for (RunGroup& group : groups)
    if (group.runs.size() > 1) group.name = std::to_string(group.runs.size()) + " seeds of " + group.name;
  return groups;
}

Curve curve_of(const RunRecord& run, const std::string& metric) {
  Curve curve;
  for (const MetricsRow& row : run.rows) {
    const auto iteration = row.find("iteration"), value = row.find(metric);
    if (!iteration || !value || !std::isfinite(*value)) continue;
    CurvePoint point{*iteration + 1, *value, *value, *value};
    if (metric.starts_with("win_rate_")) {
      const int64_t games = run.config.evaluation.games;
      const Interval i = wilson_interval(std::llround(*value * double(games)), games);
      point.low = i.low;
      point.high = i.high;
    }
    curve.push_back(point);
  }
  return curve;
}

Curve mean_curve(const RunGroup& group, const std::string& metric) {
  if (group.runs.size() == 1) return curve_of(*group.runs[0], metric);
  std::map<double, std::vector<double>> values;
  size_t runs = 0;  // that have the metric
  for (const RunRecord* run : group.runs) {
    const Curve curve = curve_of(*run, metric);
    runs += !curve.empty();
    for (const CurvePoint& p : curve) values[p.iteration].push_back(p.value);
  }
  Curve mean;
  for (const auto& [iteration, v] : values) {
    if (v.size() < runs) continue;
    double sum = 0, squares = 0;
    for (const double x : v) sum += x;
    const double centre = sum / double(v.size());
    for (const double x : v) squares += (x - centre) * (x - centre);
    const double half = v.size() > 1 ? mean_half_width(std::sqrt(squares / double(v.size() - 1)), v.size()) : 0;
    CurvePoint point{iteration, centre, centre - half, centre + half};
    if (is_proportion(metric)) point.low = std::max(0.0, point.low), point.high = std::min(1.0, point.high);
    mean.push_back(point);
  }
  return mean;
}

double mean_half_width(double standard_deviation, size_t n) {
  const double t = n < 2 ? 0 : n - 2 < std::size(kStudent) ? kStudent[n - 2] : 1.96;
  return t * standard_deviation / std::sqrt(double(n));
}

}  // namespace orbit

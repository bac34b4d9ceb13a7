// Several runs that differ in their seed alone: mean and spread of what they ended with.
#pragma once
#include <string>
#include <vector>
#include "src/report/metrics.h"

namespace orbit {

struct SeedStatistic {
  std::string name;        // of the metric
  std::vector<double> values;  // by seed
  double mean = 0, deviation = 0;  // with n - 1
  double low = 0, high = 0;        // 95 % interval of the mean (Student's t)
};

// Over the metrics that every run's last row has, in its order; times and rates are left out. A metric that runs report now and
// then (evaluation) counts with its last value.
std::vector<SeedStatistic> summarize_seeds(const std::vector<std::vector<MetricsRow>>& runs);

std::string seed_summary_json(const std::vector<int64_t>& seeds, const std::vector<SeedStatistic>& statistics);
// The lines that matter most, for people.
std::string seed_summary_text(const std::vector<SeedStatistic>& statistics);

}  // namespace orbit

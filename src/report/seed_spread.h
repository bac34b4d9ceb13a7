// Several runs of equal settings but for the seed, as one: how a metric's mean over them goes, and how sure that mean is.
#pragma once
#include <string>
#include <vector>
#include "src/report/run_record.h"

namespace orbit {

// Runs whose settings differ at most in seed, number of threads and names.
struct RunGroup {
  std::string name;  // of its only run, or "N seeds of NAME"
  std::vector<const RunRecord*> runs;
};
// In the order of the first run of each; the runs must outlive the groups.
std::vector<RunGroup> group_runs(const std::vector<RunRecord>& runs);

struct CurvePoint {
  double iteration;       // from 1 on
  double value;
  double low, high;       // 95 % interval; equal to value where there is none
};
using Curve = std::vector<CurvePoint>;  // finite values only

// A metric of one run. A win rate in evaluation has the Wilson interval of its games.
Curve curve_of(const RunRecord& run, const std::string& metric);

// The mean over the runs at the iterations that all of them have, with Student's interval of the mean. One run: its own curve.
Curve mean_curve(const RunGroup& group, const std::string& metric);

// Half the width of the 95 % interval of a mean of n values with standard deviation s: t(0.975, n - 1) s / sqrt(n).
double mean_half_width(double standard_deviation, size_t n);

}  // namespace orbit

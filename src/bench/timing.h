// Repeated timing of one piece of work.
#pragma once
#include <functional>
#include <vector>

namespace orbit {

struct Rate {
  double per_second;       // by the clock on the wall, median over the samples
  double spread;           // (largest - smallest) / median
  double cpu_nanoseconds;  // the process's time a step, median: what the wall clock would show on an idle core
};

// Calls work, which does `steps` steps, until min_seconds and min_samples are reached (once more beforehand, untimed); short
// work is repeated within a sample. A machine whose clock wanders gives a wide spread: compare only runs that alternate.
Rate measure_rate(double steps, double min_seconds, int min_samples, const std::function<void()>& work);

}  // namespace orbit

// Repeated timing of one piece of work.
#pragma once
#include <functional>
#include <vector>

namespace orbit {

double cpu_seconds();  // of all threads of this process
double median(std::vector<double> values);
double spread(const std::vector<double>& values);  // (largest - smallest) / median

struct Rate {
  double per_second;       // by the clock on the wall, median over the samples
  double spread;           // of the samples
  double cpu_nanoseconds;  // the process's time a step, median: what the wall clock would show on an idle core
};

// Calls work, which does `steps` steps, until there are at least five samples and min_seconds are over; a sample is as many calls
// as take 0.05 s. prepare() runs before each call and is not timed; the first call of all is not either. A machine whose clock
// wanders gives a wide spread: compare only runs that alternate.
Rate measure_rate(double steps, double min_seconds, const std::function<void()>& prepare, const std::function<void()>& work);

}  // namespace orbit

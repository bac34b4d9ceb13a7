#include "src/bench/timing.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>

namespace orbit {
namespace {

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}
double median(std::vector<double>& values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

Rate measure_rate(double steps, double min_seconds, int min_samples, const std::function<void()>& work) {
  using Clock = std::chrono::steady_clock;
  const auto seconds_since = [](Clock::time_point t) { return std::chrono::duration<double>(Clock::now() - t).count(); };
  constexpr double kLeastSample = 0.05;  // seconds: short samples measure the scheduler
  const Clock::time_point warm_up = Clock::now();
  work();
  const int repeats = int(std::ceil(kLeastSample / std::max(seconds_since(warm_up), 1e-6)));
  steps *= repeats;
  std::vector<double> rates, cpu;
  const Clock::time_point start = Clock::now();
  while (int(rates.size()) < min_samples || seconds_since(start) < min_seconds) {
    const Clock::time_point from = Clock::now();
    const double cpu_from = cpu_seconds();
    for (int i = 0; i < repeats; ++i) work();
    cpu.push_back((cpu_seconds() - cpu_from) / steps * 1e9);
    rates.push_back(steps / seconds_since(from));
  }
  const double middle = median(rates);
  return {middle, (rates.back() - rates.front()) / middle, median(cpu)};
}

}  // namespace orbit

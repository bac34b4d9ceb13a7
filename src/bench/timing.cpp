#include "src/bench/timing.h"
#include <algorithm>
#include <chrono>
#include <ctime>

namespace orbit {
namespace {

constexpr double kLeastSample = 0.05;  // seconds: short samples measure the scheduler
constexpr size_t kLeastSamples = 5;

double wall_seconds() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

}  // namespace

double cpu_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

double spread(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  return (*most - *least) / median(values);
}

Rate measure_rate(double steps, double min_seconds, const std::function<void()>& prepare, const std::function<void()>& work) {
  prepare();
  work();
  std::vector<double> rates, cpu;
  double total = 0;
  while (rates.size() < kLeastSamples || total < min_seconds) {
    double wall = 0, process = 0, done = 0;
    while (wall < kLeastSample) {
      prepare();
      const double wall_from = wall_seconds(), cpu_from = cpu_seconds();
      work();
      process += cpu_seconds() - cpu_from;
      wall += wall_seconds() - wall_from;
      done += steps;
    }
    rates.push_back(done / wall);
    cpu.push_back(process / done * 1e9);
    total += wall;
  }
  return {median(rates), spread(rates), median(cpu)};
}

}  // namespace orbit

// Compares the values of one tensor with expected ones and remembers the largest differences.
#pragma once
#include <cmath>
#include <cstdio>
#include <string>
#include "src/parity/parity_report.h"

namespace orbit {

class Comparison {
 public:
  explicit Comparison(std::string name, double tolerance = 0) : name_(std::move(name)), tolerance_(tolerance) {}

  // where() names the value; it is asked only for the first one beyond the tolerance, as a NaN is.
  template <class W>
  void value(double got, double expected, W where) {
    const double gap = std::fabs(got - expected);
    ++values_;
    max_abs_ = std::fmax(max_abs_, gap);
    if (gap > 0) max_rel_ = std::fmax(max_rel_, gap / std::fabs(expected));
    if (gap <= tolerance_ || !first_.empty()) return;
    first_ = where() + ": expected " + std::to_string(expected) + ", found " + std::to_string(got);
  }
  bool ok() const { return first_.empty(); }

  CheckedThing thing() const {
    char line[160];
    std::snprintf(line, sizeof line, "%lld values, max abs %.3g, max rel %.3g, tolerance %.3g", values_, max_abs_, max_rel_,
                  tolerance_);
    CheckedThing out{name_, max_abs_, max_rel_, tolerance_, ok(), line, {{"values", values_}}};
    if (ok()) return out;
    out.line += "; first: " + first_;
    out.more["first"] = first_;
    return out;
  }

 private:
  std::string name_, first_;
  double tolerance_, max_abs_ = 0, max_rel_ = 0;
  long long values_ = 0;
};

}  // namespace orbit

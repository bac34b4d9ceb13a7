// The line that an iteration leaves on the terminal.
#pragma once
#include <string>
#include "src/report/metrics.h"

namespace orbit {

// iteration 12/100  left 4m32s  return +0.125  win 54%  kl 0.0112  entropy 3.21  samples/s 21k env, 9.8k +inference, 3.1k +update
class Progress {
 public:
  // `iterations` is the last one's number plus one.
  explicit Progress(int iterations) : iterations_(iterations) {}
  std::string line(const MetricsRow& row);

 private:
  int iterations_;
  double seconds_ = 0;  // an iteration takes, recent ones counting more
};

// 4m32s; 1h05m from an hour on.
std::string duration_text(double seconds);
// 950, 21.3k, 1.2M: three digits.
std::string rate_text(double per_second);

}  // namespace orbit

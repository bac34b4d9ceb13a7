#include "src/report/progress.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace orbit {
namespace {

std::string format(const char* pattern, double value) {
  char text[64];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

// " name value", or nothing where the row lacks it.
std::string part(const MetricsRow& row, const char* name, const char* pattern, double scale = 1) {
  const auto value = row.find(name);
  return value && std::isfinite(*value) ? "  " + format(pattern, *value * scale) : "";
}

}  // namespace

std::string duration_text(double seconds) {
  const long whole = std::lround(std::max(0.0, seconds));
  char text[64];
  if (whole >= 3600) {
    std::snprintf(text, sizeof text, "%ldh%02ldm", whole / 3600, whole / 60 % 60);
  } else if (whole >= 60) {
    std::snprintf(text, sizeof text, "%ldm%02lds", whole / 60, whole % 60);
  } else {
    std::snprintf(text, sizeof text, "%lds", whole);
  }
  return text;
}

std::string rate_text(double per_second) {
  const bool millions = per_second >= 999500, thousands = per_second >= 999.5;
  const double scaled = per_second / (millions ? 1e6 : thousands ? 1e3 : 1);
  return format(scaled < 99.95 && (millions || thousands) ? "%.1f" : "%.0f", scaled) + (millions ? "M" : thousands ? "k" : "");
}

std::string Progress::line(const MetricsRow& row) {
  const int iteration = static_cast<int>(row.find("iteration").value_or(0));
  std::string text = "iteration " + std::to_string(iteration + 1) + "/" + std::to_string(iterations_);
  if (const auto seconds = row.find("time_iteration")) {
    seconds_ = seconds_ == 0 ? *seconds : 0.8 * seconds_ + 0.2 * *seconds;
    text += "  left " + duration_text(seconds_ * (iterations_ - iteration - 1));
  }
  text += part(row, "episode_return", "return %+.3f") + part(row, "win_rate", "win %.0f%%", 100);
  text += part(row, "approx_kl", "kl %.4f") + part(row, "entropy", "entropy %.2f");
  const auto env = row.find("env_per_second"), inference = row.find("inference_per_second"),
             update = row.find("update_per_second");
  if (env && inference && update) {
    text +=
        "  samples/s " + rate_text(*env) + " env, " + rate_text(*inference) + " +inference, " + rate_text(*update) + " +update";
  }
  for (const auto& [name, value] : row.values()) {  // an evaluation's results, named by opponent
    if (name.starts_with("win_rate_")) text += "  " + format("win %.0f%% against ", value * 100) + name.substr(9);
  }
  return text;
}

}  // namespace orbit

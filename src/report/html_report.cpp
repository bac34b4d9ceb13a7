#include "src/report/html_report.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "src/common/machine.h"
#include "src/config/load.h"

namespace orbit {
namespace {

// Drawing area of a chart, pixels; labels stand left of it and below.
constexpr double kWidth = 380, kHeight = 150, kLeft = 64, kTop = 8;
constexpr size_t kMostPoints = 600;  // of a curve; longer runs are thinned

struct Chart {
  const char* title;
  std::vector<std::string> names;  // of metrics; those that no row has are left out
};

std::vector<Chart> charts(const std::vector<MetricsRow>& rows) {
  std::vector<Chart> all = {{"Return", {"episode_return"}},
                            {"Win rate against the training opponent", {"win_rate"}},
                            {"Win rate in evaluation", {}},
                            {"KL", {"approx_kl", "reference_kl"}},
                            {"Entropy", {"entropy"}},
                            {"Policy loss", {"policy_loss"}},
                            {"Value loss", {"value_loss"}},
                            {"Explained variance", {"explained_variance"}},
                            {"Clip fraction", {"clip_fraction"}},
                            {"Gradient norm", {"grad_norm"}},
                            {"Learning rate", {"lr"}},
                            {"Samples per second: environment, + inference, + update",
                             {"env_per_second", "inference_per_second", "update_per_second"}}};
  for (const MetricsRow& row : rows) {
    for (const auto& [name, value] : row.values()) {
      auto& known = all[2].names;
      if (name.starts_with("win_rate_") && std::find(known.begin(), known.end(), name) == known.end()) known.push_back(name);
    }
  }
  return all;
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : std::string(1, c);
  return out;
}

std::string number(double value, const char* format = "%.4g") {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points;  // (iteration, value), finite
};

Curve curve_of(const std::string& name, const std::vector<MetricsRow>& rows) {
  Curve curve{name, {}};
  for (const MetricsRow& row : rows) {
    const auto iteration = row.find("iteration"), value = row.find(name);
    if (iteration && value && std::isfinite(*value)) curve.points.emplace_back(*iteration + 1, *value);
  }
  const size_t stride = (curve.points.size() + kMostPoints - 1) / kMostPoints;
  if (stride < 2) return curve;
  Curve thin{name, {}};
  for (size_t i = 0; i < curve.points.size(); i += stride) thin.points.push_back(curve.points[i]);
  thin.points.push_back(curve.points.back());
  return thin;
}

std::string svg(const std::vector<Curve>& curves) {
  static const char* const kColours[] = {"#1f6fb2", "#d1690e", "#2f8f4e", "#8d4fa8"};
  double low = curves[0].points[0].second, high = low, last = 1;
  for (const Curve& curve : curves) {
    for (const auto& [x, y] : curve.points) {
      low = std::min(low, y);
      high = std::max(high, y);
      last = std::max(last, x);
    }
  }
  const double span = high > low ? high - low : 1;
  const auto x_of = [&](double x) { return kLeft + (last > 1 ? (x - 1) / (last - 1) : 0) * kWidth; };
  const auto y_of = [&](double y) { return kTop + (high - y) / span * kHeight; };
  std::string text = "<svg viewBox=\"0 0 460 190\" role=\"img\">";
  const auto label = [&](double x, double y, const std::string& words, const char* anchor) {
    text +=
        "<text x=\"" + number(x) + "\" y=\"" + number(y) + "\" text-anchor=\"" + anchor + "\">" + escaped(words) + "</text>";
  };
  text += "<path class=\"axis\" d=\"M64 8V158H444\"/>";
  label(58, kTop + 8, number(high), "end");
  label(58, kTop + kHeight, number(low), "end");
  label(kLeft, 174, "1", "start");
  label(kLeft + kWidth, 174, "iteration " + number(last), "end");
  for (size_t c = 0; c < curves.size(); ++c) {
    const char* colour = kColours[c % 4];
    text += "<polyline fill=\"none\" stroke=\"" + std::string(colour) + "\" stroke-width=\"1.5\" points=\"";
    for (const auto& [x, y] : curves[c].points) text += number(x_of(x), "%.1f") + "," + number(y_of(y), "%.1f") + " ";
    text += "\"/>";
    const auto& [x, y] = curves[c].points.back();
    text += "<circle cx=\"" + number(x_of(x), "%.1f") + "\" cy=\"" + number(y_of(y), "%.1f") + "\" r=\"2.5\" fill=\"" + colour +
            "\"/>";
    text += "<text x=\"72\" y=\"" + number(20 + 13 * static_cast<double>(c)) + "\" fill=\"" + colour + "\">" +
            escaped(curves[c].name) + " " + number(y) + "</text>";
  }
  return text + "</svg>";
}

}  // namespace

std::string html_report(const std::string& title, const Config& config, const std::vector<MetricsRow>& rows) {
  std::string page =
      "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>" + escaped(title) +
      "</title><style>body{font:15px system-ui,sans-serif;max-width:1000px;margin:2em auto;color:#222}"
      ".charts{display:flex;flex-wrap:wrap;gap:1em}figure{margin:0;width:480px}figcaption{font-weight:600}"
      "svg text{font-size:11px}.axis{fill:none;stroke:#999}td{padding-right:1.5em}pre{background:#f4f4f4;padding:1em;"
      "overflow:auto}</style></head><body><h1>" +
      escaped(title) + "</h1><p>" + std::to_string(rows.size()) + " of " + std::to_string(config.training.iterations) +
      " iterations.</p><div class=\"charts\">";
  for (const Chart& chart : charts(rows)) {
    std::vector<Curve> curves;
    for (const std::string& name : chart.names) {
      Curve curve = curve_of(name, rows);
      if (!curve.points.empty()) curves.push_back(std::move(curve));
    }
    if (!curves.empty())
      page += "<figure><figcaption>" + std::string(chart.title) + "</figcaption>" + svg(curves) + "</figure>";
  }
  page += "</div><h2>Machine</h2><table>";
  for (const auto& [name, value] : describe_machine()) page += "<tr><td>" + name + "</td><td>" + escaped(value) + "</td></tr>";
  return page + "</table><h2>Settings</h2><pre>" + escaped(to_yaml(config)) + "</pre></body></html>\n";
}

}  // namespace orbit

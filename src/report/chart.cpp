#include "src/report/chart.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include "src/report/progress.h"

namespace orbit {
namespace {

// The plot in the coordinates of the drawing; tick labels stand left of it and below.
constexpr double kWidth = 440, kHeight = 200, kLeft = 62, kTop = 8, kRight = 10, kBottom = 26;
constexpr size_t kMostPoints = 300;  // of a curve; longer ones are thinned

struct Scale {
  double low, high, step;  // of the axis, and between its ticks
};

// About `count` steps of 1, 2 or 5 times a power of ten.
Scale round_scale(double low, double high, int count) {
  if (high <= low) {
    const double half = low == 0 ? 1 : std::abs(low) * 0.1;
    low -= half;
    high += half;
  }
  const double raw = (high - low) / count, power = std::pow(10, std::floor(std::log10(raw)));
  const double step = power * (raw <= power ? 1 : raw <= 2 * power ? 2 : raw <= 5 * power ? 5 : 10);
  return {std::floor(low / step) * step, std::ceil(high / step) * step, step};
}

Curve thinned(const Curve& curve) {
  const size_t stride = (curve.size() + kMostPoints - 1) / kMostPoints;
  if (stride < 2) return curve;
  Curve thin;
  for (size_t i = 0; i < curve.size(); i += stride) thin.push_back(curve[i]);
  if (thin.back().iteration != curve.back().iteration) thin.push_back(curve.back());
  return thin;
}

std::string colour_class(int colour) { return std::string("c").append(std::to_string(colour % kChartColours)); }

// A few digits, thousands and millions by letter.
std::string short_number(double value) {
  if (std::abs(value) < 10000) return number_text(value, "%.4g");
  return std::string(value < 0 ? "-" : "").append(rate_text(std::abs(value)));
}

std::string coordinate(double value) { return number_text(value, "%.1f"); }

class Plot {
 public:
  explicit Plot(const std::vector<ChartLine>& lines) {
    double low = INFINITY, high = -INFINITY;
    for (const ChartLine& line : lines) {
      take(line.mean, low, high);
      for (const Curve& member : line.members) take(member, low, high);
    }
    y_ = round_scale(low, high, 4);
    last_ = std::max(last_, first_ + 1);
  }

  std::string draw(const std::vector<ChartLine>& lines) const {
    std::string text = "<svg viewBox=\"0 0 440 200\" role=\"img\">" + axes();
    // A drawing in the drawing cuts off bands that reach beyond the plot: an interval over two seeds is wide.
    text += "<svg x=\"" + coordinate(kLeft) + "\" y=\"" + coordinate(kTop - 2) + "\" width=\"" + coordinate(kWidth - kLeft - kRight + 4) +
            "\" height=\"" + coordinate(kHeight - kTop - kBottom + 4) + "\" viewBox=\"" + coordinate(kLeft) + " " + coordinate(kTop - 2) +
            " " + coordinate(kWidth - kLeft - kRight + 4) + " " + coordinate(kHeight - kTop - kBottom + 4) + "\">";
    for (const ChartLine& line : lines) {
      const std::string colour = colour_class(line.colour);
      text += band(line.mean, colour);
      for (const Curve& member : line.members) text += path(member, "member " + colour);
      text += path(line.mean, "mean " + colour);
    }
    return text + "</svg></svg>";
  }

 private:
  void take(const Curve& curve, double& low, double& high) {
    for (const CurvePoint& p : curve) {
      low = std::min(low, p.value);
      high = std::max(high, p.value);
      first_ = std::min(first_, p.iteration);
      last_ = std::max(last_, p.iteration);
    }
  }
  double x_of(double x) const { return kLeft + (x - first_) / (last_ - first_) * (kWidth - kLeft - kRight); }
  double y_of(double y) const { return kTop + (y_.high - y) / (y_.high - y_.low) * (kHeight - kTop - kBottom); }
  std::string at(double x, double y) const { return coordinate(x_of(x)) + "," + coordinate(y_of(y)) + " "; }

  static std::string label(double x, double y, const std::string& words, const char* anchor) {
    return "<text x=\"" + coordinate(x) + "\" y=\"" + coordinate(y) + "\" text-anchor=\"" + anchor + "\">" + escaped(words) + "</text>";
  }

  std::string axes() const {
    std::string text;
    const int ticks = int(std::lround((y_.high - y_.low) / y_.step));
    for (int i = 0; i <= ticks; ++i) {
      const double value = y_.low + i * y_.step, y = y_of(value);
      text += "<path class=\"grid\" d=\"M" + coordinate(kLeft) + " " + coordinate(y) + "H" + coordinate(kWidth - kRight) + "\"/>";
      text += label(kLeft - 6, y + 4, short_number(std::abs(value) < y_.step * 1e-9 ? 0 : value), "end");
    }
    text += label(x_of(first_), kHeight - 8, number_text(first_, "%.0f"), "start");
    return text + label(kWidth - kRight, kHeight - 8, "iteration " + number_text(last_, "%.0f"), "end");
  }

  std::string path(const Curve& curve, const std::string& classes) const {
    if (curve.empty()) return "";
    if (curve.size() == 1)
      return "<circle class=\"" + classes + "\" r=\"3\" cx=\"" + coordinate(x_of(curve[0].iteration)) + "\" cy=\"" +
             coordinate(y_of(curve[0].value)) + "\"/>";
    std::string text = "<polyline class=\"" + classes + "\" points=\"";
    for (const CurvePoint& p : thinned(curve)) text += at(p.iteration, p.value);
    return text + "\"/>";
  }

  std::string band(const Curve& full, const std::string& colour) const {
    const Curve curve = thinned(full);
    const auto has_width = [](const CurvePoint& p) { return p.high > p.low; };
    if (std::none_of(curve.begin(), curve.end(), has_width)) return "";
    std::string text = "<polygon class=\"band " + colour + "\" points=\"";
    for (const CurvePoint& p : curve) text += at(p.iteration, p.high);
    for (auto p = curve.rbegin(); p != curve.rend(); ++p) text += at(p->iteration, p->low);
    return text + "\"/>";
  }

  Scale y_{};
  double first_ = INFINITY, last_ = -INFINITY;
};

std::string legend_entry(int colour, const std::string& words) {
  return "<span class=\"key " + colour_class(colour) + "\">" + escaped(words) + "</span> ";
}

}  // namespace

std::string line_chart(const std::vector<ChartLine>& lines) {
  std::string text = Plot(lines).draw(lines) + "<div class=\"legend\">";
  for (const ChartLine& line : lines) {
    if (line.mean.empty()) continue;
    const CurvePoint& last = line.mean.back();
    std::string words = (line.name.empty() ? "last" : line.name) + " " + short_number(last.value);
    if (last.high > last.low) words += " (" + short_number(last.low) + " to " + short_number(last.high) + ")";
    text += legend_entry(line.colour, words);
  }
  return text + "</div>";
}

std::string parted_bar(const std::vector<BarPart>& parts) {
  std::string bar = "<svg class=\"bar\" viewBox=\"0 0 100 6\" preserveAspectRatio=\"none\" role=\"img\">", legend;
  double x = 0;
  for (size_t i = 0; i < parts.size(); ++i) {
    bar += "<rect class=\"" + colour_class(int(i)) + "\" x=\"" + number_text(x, "%.2f") + "\" y=\"0\" width=\"" +
           number_text(100 * parts[i].share, "%.2f") + "\" height=\"6\"/>";
    x += 100 * parts[i].share;
    legend += legend_entry(int(i), parts[i].name + " " + number_text(100 * parts[i].share, "%.1f") + " %");
  }
  return bar + "</svg><div class=\"legend\">" + legend + "</div>";
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

std::string number_text(double value, const char* format) {
  char text[40];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace orbit

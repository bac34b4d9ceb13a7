// Drawings of the report: SVG without script, colours by CSS class so that they follow light and dark mode.
#pragma once
#include <string>
#include <vector>
#include "src/report/seed_spread.h"

namespace orbit {

constexpr int kChartColours = 6;  // classes c0 to c5

struct ChartLine {
  std::string name;           // for the legend; "" shows none
  int colour = 0;             // modulo kChartColours
  Curve mean;                 // drawn thick, its interval as a band
  std::vector<Curve> members;  // drawn thin behind it
};

// Axes with round numbers, iterations to the right; a legend with the last values below where lines have names.
std::string line_chart(const std::vector<ChartLine>& lines);

struct BarPart {
  std::string name;
  double share;  // of the whole bar, 0 to 1
};
// One bar parted into shares, with a legend.
std::string parted_bar(const std::vector<BarPart>& parts);

std::string escaped(const std::string& text);                             // for HTML
std::string number_text(double value, const char* format = "%.4g");

}  // namespace orbit

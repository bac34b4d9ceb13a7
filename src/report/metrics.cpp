#include "src/report/metrics.h"
#include <charconv>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include "src/common/atomic_file.h"

namespace orbit {
namespace {

std::string json_number(double value) {
  if (!std::isfinite(value)) return "null";
  char buffer[32];
  const bool whole = value == std::floor(value) && std::abs(value) < 9e15;
  const auto end = whole ? std::to_chars(buffer, buffer + sizeof buffer, static_cast<int64_t>(value))
                         : std::to_chars(buffer, buffer + sizeof buffer, value);
  return {buffer, end.ptr};
}

// The rows of a file up to the first line that is no object (a run killed in mid-write leaves half a line at the end).
std::vector<MetricsRow> read_rows(const std::string& path) {
  std::vector<MetricsRow> rows;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const auto object = nlohmann::ordered_json::parse(line, nullptr, false);
    if (!object.is_object()) break;
    MetricsRow row;
    for (const auto& [name, value] : object.items()) row.set(name, value.is_number() ? value.get<double>() : std::nan(""));
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

void MetricsRow::set(const std::string& name, double value) {
  for (auto& [known, kept] : values_) {
    if (known == name) {
      kept = value;
      return;
    }
  }
  values_.emplace_back(name, value);
}

std::optional<double> MetricsRow::find(const std::string& name) const {
  for (const auto& [known, value] : values_) {
    if (known == name) return value;
  }
  return std::nullopt;
}

std::string MetricsRow::to_json() const {
  std::string text = "{";
  for (const auto& [name, value] : values_) {
    text += (text.size() > 1 ? ", " : "") + nlohmann::json(name).dump() + ": " + json_number(value);
  }
  return text + "}";
}

void MetricsFile::append(const MetricsRow& row) const {
  append_at_once(path_, row.to_json() + "\n");
}

void MetricsFile::cut_from(int64_t iteration) const {
  std::string kept;
  for (const MetricsRow& row : read_rows(path_)) {
    if (row.find("iteration").value_or(0) >= static_cast<double>(iteration)) break;
    kept += row.to_json() + "\n";
  }
  write_text_atomically(path_, kept);
}

std::vector<MetricsRow> MetricsFile::rows() const { return read_rows(path_); }

}  // namespace orbit

// The lines of a gzipped file under tests/data.
#pragma once
#include <zlib.h>
#include <stdexcept>
#include <string>
#include <vector>

namespace orbit {

inline std::vector<std::string> data_lines(const std::string& name) {
  const std::string path = std::string(ORBIT_TEST_DATA) + "/" + name;
  gzFile file = gzopen(path.c_str(), "rb");
  if (!file) throw std::runtime_error("no test data at " + path);
  std::string text;
  char buffer[1 << 16];
  for (int n; (n = gzread(file, buffer, sizeof buffer)) > 0;) text.append(buffer, size_t(n));
  gzclose(file);
  std::vector<std::string> lines;
  for (size_t at = 0, end; (end = text.find('\n', at)) != std::string::npos; at = end + 1)
    lines.push_back(text.substr(at, end - at));
  return lines;
}

}  // namespace orbit

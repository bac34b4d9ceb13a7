// What every orbit_parity command says about the things it holds against a reference: a line each, and JSON.
#pragma once
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace orbit {

struct CheckedThing {
  std::string name;
  double max_abs = 0, max_rel = 0;  // largest difference, absolute and relative
  double tolerance = 0;             // of max_abs, unless the command says otherwise
  bool ok = false;
  std::string line;                               // for people, without the name
  nlohmann::json more = nlohmann::json::object();  // further fields of its JSON object
};

class ParityReport {
 public:
  // json_target: empty for none, "-" for standard output (then nothing else goes there), else a file.
  explicit ParityReport(const std::string& json_target);
  void add(const CheckedThing& thing);
  // The last line, and the exit code: 1 if anything was not ok.
  int finish();

 private:
  bool to_stdout_;
  std::string target_;
  std::ofstream file_;
  int checked_ = 0, failed_ = 0;
};

}  // namespace orbit

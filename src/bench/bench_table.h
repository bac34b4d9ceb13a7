// Where measurements go: a table on the terminal, JSON lines, or both.
#pragma once
#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace orbit {

class BenchTable {
 public:
  // json_target: "" for the table alone, "-" for JSON on standard output instead of it, or a file beside it. `rows` are
  // expected: on a terminal a line below the table counts them and says how much time is left. Throws UserError.
  BenchTable(const std::string& json_target, int rows);
  void add(const nlohmann::json& row);
  void leave_out() { --expected_; }  // one of those that were expected

 private:
  void print(const nlohmann::json& row);

  using Clock = std::chrono::steady_clock;
  bool json_on_stdout_, on_terminal_;
  int expected_, added_ = 0;
  Clock::time_point start_ = Clock::now();
  std::ofstream file_;
};

}  // namespace orbit

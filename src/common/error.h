// The two ways in which a program ends badly without being wrong itself, and the frame that turns them into exit codes.
#pragma once
#include <functional>
#include <stdexcept>
#include <string>

namespace orbit {

// The user's mistake: what is wrong, where (file, line, key), and what to do. One line. Exit code 2.
class UserError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The machine failed us in mid-run (a full disk, a vanished folder). One line. Exit code 1.
class RunError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Runs a program's body and returns its exit code; errors become one line "PROGRAM: message" on standard error.
int run_program(const std::string& program, const std::function<int()>& body);

}  // namespace orbit

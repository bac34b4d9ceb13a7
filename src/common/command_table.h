// Programs of several commands: PROGRAM COMMAND [OPTION...].
#pragma once
#include <span>
#include <string>

namespace orbit {

struct Command {
  const char* name;
  int (*run)(int argc, char** argv);  // argv[0] is the command's name
  const char* summary;
};

// Runs the command that argv names and returns its exit code; answers --help and --version; any other name is a UserError.
// `purpose` is the first line of the help.
int run_command(const std::string& program, const std::string& purpose, std::span<const Command> commands, int argc, char** argv);

}  // namespace orbit

// Measures throughput: orbit_bench COMMAND.
#include <cstdio>
#include <cstring>
#include <string>
#include "src/bench/commands.h"
#include "src/common/error.h"

namespace orbit {
namespace {

struct Command {
  const char* name;
  int (*run)(int argc, char** argv);
  const char* summary;
};
constexpr Command kCommands[] = {
    {"env", env_bench, "the game alone, over recorded play"},
};

std::string help() {
  std::string text = "Measures throughput.\nUsage:\n  orbit_bench COMMAND [OPTION...]\n\n";
  for (const Command& c : kCommands)
    text += "  " + std::string(c.name) + std::string(12 - std::strlen(c.name), ' ') + c.summary + "\n";
  return text + "\n  orbit_bench COMMAND --help    options of a command\n  --version                     print the version\n";
}

int run(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const bool help_wanted = name == "--help" || name == "-h";
  if (help_wanted || name == "--version") {
    std::fputs(help_wanted ? help().c_str() : "orbit_bench " ORBIT_VERSION "\n", stdout);
    return 0;
  }
  for (const Command& c : kCommands)
    if (name == c.name) return c.run(argc - 1, argv + 1);
  throw UserError((name.empty() ? "a command is required" : "no command \"" + name + "\"") + "; see orbit_bench --help");
}

}  // namespace
}  // namespace orbit

int main(int argc, char** argv) {
  return orbit::run_program("orbit_bench", [&] { return orbit::run(argc, argv); });
}

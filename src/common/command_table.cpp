#include "src/common/command_table.h"
#include <cstdio>
#include "src/common/error.h"

namespace orbit {
namespace {

std::string help(const std::string& program, const std::string& purpose, std::span<const Command> commands) {
  std::string text = purpose + "\nUsage:\n  " + program + " COMMAND [OPTION...]\n\n";
  for (const Command& c : commands) {
    const std::string name = c.name;
    text += "  " + name + std::string(12 - name.size(), ' ') + c.summary + "\n";
  }
  const std::string of_command = "  " + program + " COMMAND --help", version = "  --version";
  text += "\n" + of_command + "    options of a command\n";
  return text + version + std::string(of_command.size() + 4 - version.size(), ' ') + "print the version\n";
}

}  // namespace

int run_command(const std::string& program, const std::string& purpose, std::span<const Command> commands, int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  const bool help_wanted = name == "--help" || name == "-h";
  if (help_wanted || name == "--version") {
    std::fputs(help_wanted ? help(program, purpose, commands).c_str() : (program + " " ORBIT_VERSION "\n").c_str(), stdout);
    return 0;
  }
  for (const Command& c : commands)
    if (name == c.name) return c.run(argc - 1, argv + 1);
  throw UserError((name.empty() ? "a command is required" : "no command \"" + name + "\"") + "; see " + program + " --help");
}

}  // namespace orbit

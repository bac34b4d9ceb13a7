// Holds this program against the official game and against PyTorch: orbit_parity COMMAND.
#include <cstring>
#include <string>
#include "src/common/error.h"
#include "src/parity/commands.h"

namespace orbit {
namespace {

struct Command {
  const char* name;
  int (*run)(int argc, char** argv);
  const char* summary;
};
constexpr Command kCommands[] = {
    {"env", env_command, "recorded games and replays, state by state"},
    {"features", features_command, "features, aim and decoders against recorded figures"},
    {"policy", policy_command, "the network, its loss, gradients and optimizer step against PyTorch"},
    {"inspect", inspect_command, "what a .pt or .safetensors file holds"},
};

std::string help() {
  std::string text =
      "Holds this program against the official game and against PyTorch.\nUsage:\n  orbit_parity COMMAND [OPTION...]\n\n";
  for (const Command& c : kCommands)
    text += "  " + std::string(c.name) + std::string(12 - std::strlen(c.name), ' ') + c.summary + "\n";
  return text + "\n  orbit_parity COMMAND --help    options of a command\n  --version                      print the version\n";
}

int run(int argc, char** argv) {
  const std::string name = argc > 1 ? argv[1] : "";
  if (name == "--help" || name == "-h") return print_help(help());
  if (name == "--version") return print_help("orbit_parity " ORBIT_VERSION "\n");
  for (const Command& c : kCommands)
    if (name == c.name) return c.run(argc - 1, argv + 1);
  throw UserError((name.empty() ? "a command is required" : "no command \"" + name + "\"") + "; see orbit_parity --help");
}

}  // namespace
}  // namespace orbit

int main(int argc, char** argv) {
  return orbit::run_program("orbit_parity", [&] { return orbit::run(argc, argv); });
}

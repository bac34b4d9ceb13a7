// Holds this program against the official game and against PyTorch: orbit_parity COMMAND.
#include "src/common/command_table.h"
#include "src/common/error.h"
#include "src/parity/commands.h"

namespace {
constexpr orbit::Command kCommands[] = {
    {"env", orbit::env_command, "recorded games and replays, state by state"},
    {"features", orbit::features_command, "features, aim and decoders against recorded figures"},
    {"policy", orbit::policy_command, "the network, its loss, gradients and optimizer step against PyTorch"},
    {"gae", orbit::gae_command, "advantages, of terminated and truncated episodes"},
    {"update", orbit::update_command, "a PyTorch checkpoint that goes on here, AdamW state included"},
    {"sample", orbit::sample_command, "drawn and greedy actions"},
    {"inspect", orbit::inspect_command, "what a .pt or .safetensors file holds"},
};
}  // namespace

int main(int argc, char** argv) {
  return orbit::run_program("orbit_parity", [&] {
    return orbit::run_command("orbit_parity", "Holds this program against the official game and against PyTorch.", kCommands, argc,
                              argv);
  });
}

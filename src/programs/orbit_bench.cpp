// Measures throughput: orbit_bench COMMAND.
#include "src/bench/commands.h"
#include "src/common/command_table.h"
#include "src/common/error.h"

namespace {
constexpr orbit::Command kCommands[] = {
    {"env", orbit::env_bench, "the game alone, over recorded play"},
    {"rollout", orbit::rollout_bench, "games and the network that plays them"},
    {"train", orbit::train_bench, "rollouts and updates, as orbit_train does them"},
};
}  // namespace

int main(int argc, char** argv) {
  return orbit::run_program("orbit_bench", [&] {
    return orbit::run_command("orbit_bench", "Measures throughput.", kCommands, argc, argv);
  });
}

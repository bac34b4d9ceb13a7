// The small environments that are built in: the list.
#include "extensions/small_envs.h"
#include "envs/classic/cartpole.h"
#include "extensions/env_loops.h"

namespace orbit {

std::vector<EnvTable> small_envs() { return {env_table<CartPole>()}; }

}  // namespace orbit

// From the config to the objects of a run on a small environment; setup.h has what all runs share.
#pragma once
#include <memory>
#include <vector>
#include "src/config/config.h"
#include "src/policy/rnn_policy.h"
#include "src/small_env_task.h"

namespace orbit {

// The environment that the config names, from its library where it has one. Throws UserError: no such environment, or a library
// that can't be used.
const EnvTable& small_env_of(const Config& config);
SmallEnvOptions small_env_options(const Config& config);
// Of the environments that evaluation plays: as many as it has episodes, with other draws than training's.
SmallEnvOptions evaluation_options(const Config& config);
// Is its policy one with a memory? Then it is played through a RecurrentTask of so many numbers a row; else 0.
bool is_recurrent(const Config& config);
int64_t memory_of(const Config& config);
// What its policy observes.
std::vector<TensorSpec> small_env_observation(const Config& config);
// The network that the config describes, and what it chooses between.
MlpPolicyConfig mlp_of(const Config& config);
RnnPolicyConfig rnn_of(const Config& config);
ActionSpace action_space_of(const EnvTable& env);
// A network with fresh weights for its observations and actions.
std::unique_ptr<Policy> make_small_env_policy(const Config& config);

}  // namespace orbit

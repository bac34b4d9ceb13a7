// From the config to the objects of a run: each setting is bound here, once, outside of the loop.
#pragma once
#include <memory>
#include <string>
#include <vector>
#include "src/config/config.h"
#include "src/league/player.h"
#include "src/policy/orbit_policy.h"
#include "src/orbit_task.h"
#include "src/ppo/adamw.h"
#include "src/ppo/rollout.h"
#include "src/ppo/update.h"
#include "src/train_state.h"

namespace orbit {

at::Device device_of(const Config& config);
void use_threads(const Config& config);

// Packed on a CPU, unless the precision needs the other one.
Layout layout_of(const Config& config);
// A new policy with fresh weights, for what environment.name says.
std::shared_ptr<Policy> make_policy(const Config& config, Layout layout);
// What it observes.
std::vector<TensorSpec> observation_of(const Config& config);
// The network of Orbit Wars that the config describes.
OrbitPolicyConfig network_of(const Config& config);
// A policy to play: a .ts module as it is, else the weights of a .pt or .safetensors file by name, in the config's network.
// key: where in the file the weights are, if several places fit.
std::shared_ptr<Policy> load_policy(const std::string& file, const std::string& key, const Config& config);
// What a run begins with: start weights, optimizer, reference. rows: of the task.
TrainState make_train_state(const Config& config, int64_t rows, Layout layout);
// Copies in the weights that bc_warmstart or training.resume_from name, and logs it.
void load_start_weights(const Policy& policy, const Config& config);

VecEnvOptions environment_options(const Config& config, int64_t environments);
// How rollout step and minibatch update are captured on the config's device.
MakeBackend capture_backend(const Config& config);
PoolOptions pool_options(const Config& config);
RolloutOptions rollout_options(const Config& config);
UpdateOptions update_options(const Config& config);
AdamWOptions optimizer_options(const Config& config);

// All seats in self-play, else one seat of every game.
Seating learning_seats(const Config& config);
// Boards of consecutive seeds on the config's device.
std::vector<at::Tensor> make_bank(const Config& config, int64_t first_seed, int64_t boards);

// Name of the opponent of an iteration: training.opponent, or the stage of the curriculum.
std::string opponent_of(const Config& config, int64_t iteration);
// A scripted opponent by name, or the greedy policy of a file.
std::unique_ptr<Player> make_player(const std::string& name, const Config& config);
// Null for self: then every seat learns.
std::unique_ptr<Player> make_opponent(const std::string& name, const Config& config, const TrainState& state);
// Does the loss have a KL term? Does the run need a copy of its start weights, for that or as an opponent?
bool has_kl_term(const Config& config);
bool needs_reference(const Config& config);

}  // namespace orbit

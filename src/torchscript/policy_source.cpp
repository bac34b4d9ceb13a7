#include "src/torchscript/policy_source.h"
#include "src/setup.h"
#include "src/small_env_setup.h"
#include "src/torchscript/normalised_source.h"
#include "src/torchscript/orbit_source.h"
#include "src/torchscript/small_source.h"

namespace orbit {
namespace {

std::string network_source(const Config& config) {
  if (config.environment.name == kOrbitWars) return orbit_script_source(network_of(config));
  const ActionSpace space = action_space_of(small_env_of(config));
  return is_recurrent(config) ? rnn_script_source(rnn_of(config), space) : mlp_script_source(mlp_of(config), space);
}

}  // namespace

std::string policy_source(const Config& config) {
  if (!config.training.observation_norm) return network_source(config);
  return normalised_script_source(network_source(config), observation_of(config));
}

}  // namespace orbit

#include "src/small_env_setup.h"
#include <c10/util/Exception.h>
#include "extensions/env_registry.h"
#include "src/common/error.h"
#include "src/recurrent_task.h"

namespace orbit {
namespace {

Activation activation_of(const std::string& word) { return word == "relu" ? Activation::kRelu : Activation::kTanh; }

void load_library(const std::string& file, const std::string& environment) {
  std::string name;
  try {
    name = load_env_library(file);
  } catch (const c10::Error& e) {
    throw UserError(std::string("environment.library: ") + e.what_without_backtrace());
  }
  if (name != environment)
    throw UserError("environment.library: " + file + " holds the environment " + name + ", but environment.name is " + environment);
}

}  // namespace

const EnvTable& small_env_of(const Config& config) {
  const EnvironmentConfig& e = config.environment;
  if (e.library) load_library(*e.library, e.name);
  return find_env(e.name);
}

SmallEnvOptions small_env_options(const Config& config) {
  small_env_of(config);
  SmallEnvOptions o;
  o.name = config.environment.name;
  o.environments = config.training.episodes_per_iter;
  o.in_double = config.environment.precision == "float64";
  o.seed = uint64_t(config.training.seed);
  o.time_limit = config.environment.time_limit.value_or(-1);
  o.device = at::Device(config.device.type);
  return o;
}

SmallEnvOptions evaluation_options(const Config& config) {
  SmallEnvOptions o = small_env_options(config);
  o.environments = config.evaluation.games;
  o.seed = uint64_t(config.evaluation.seed_start);
  return o;
}

bool is_recurrent(const Config& config) { return config.model.kind == "rnn"; }

int64_t memory_of(const Config& config) { return is_recurrent(config) ? config.model.rnn.value_or(RnnConfig{}).memory : 0; }

std::vector<TensorSpec> small_env_observation(const Config& config) {
  std::vector<TensorSpec> seen = SmallEnvTask::seen(small_env_of(config));
  return is_recurrent(config) ? RecurrentTask::seen(std::move(seen), memory_of(config)) : seen;
}

ActionSpace action_space_of(const EnvTable& env) {
  std::vector<int64_t> choices;
  std::vector<float> low, high;
  for (int32_t a = 0; a < env.action_size; ++a) {
    const Bounds b = env.action_bounds[a];
    choices.push_back(int64_t(b.high) + 1);
    low.push_back(b.low), high.push_back(b.high);
  }
  if (env.action_kind == ActionKind::kContinuous) return ActionSpace::continuous(std::move(low), std::move(high));
  return ActionSpace::multi_discrete(std::move(choices));
}

RnnPolicyConfig rnn_of(const Config& config) {
  const RnnConfig m = config.model.rnn.value_or(RnnConfig{});
  return {m.hidden, m.memory, activation_of(m.activation), m.init == "orthogonal", m.log_std_init, m.squash};
}

MlpPolicyConfig mlp_of(const Config& config) {
  const MlpConfig m = config.model.mlp.value_or(MlpConfig{});
  MlpPolicyConfig c;
  c.hidden.assign(m.hidden_sizes.begin(), m.hidden_sizes.end());
  c.activation = activation_of(m.activation);
  c.shared = m.trunk == "shared";
  c.orthogonal = m.init == "orthogonal";
  c.log_std_init = m.log_std_init;
  c.squash = m.squash;
  c.bf16 = config.device.precision == "bf16";
  c.fused = config.device.fused;
  return c;
}

std::unique_ptr<Policy> make_small_env_policy(const Config& config) {
  const EnvTable& env = small_env_of(config);
  const uint64_t seed = uint64_t(config.training.seed);
  const at::Device device(config.device.type);
  if (is_recurrent(config)) return make_rnn_policy(rnn_of(config), action_space_of(env), env.observation_size, seed, device);
  return make_mlp_policy(mlp_of(config), action_space_of(env), env.observation_size, seed, device);
}

}  // namespace orbit

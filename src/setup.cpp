#include "src/setup.h"
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <cstdlib>
#include <thread>
#include "extensions/board_bank.h"
#include "envs/orbit_wars/features.h"
#include "envs/orbit_wars/standing.h"
#include "src/checkpoint/named_weights.h"
#include "src/common/error.h"
#include "src/common/log.h"
#include "src/torchscript/script_policy.h"

namespace orbit {
namespace {

// Position of a word among the choices of a setting; the order is that of the enum it stands for.
int64_t index_of(const std::string& word, const std::vector<std::string>& words) {
  for (size_t i = 0; i < words.size(); ++i)
    if (words[i] == word) return int64_t(i);
  throw std::logic_error("setting \"" + word + "\" passed the schema but has no meaning here");
}

ShapingWeights shaping_of(const TrainingConfig& t) {
  ShapingWeights s;
  s.mode = index_of(t.shaping_mode, {"ships", "planets", "combined", "ratio", "ratio_prod"});
  const auto mode = ShapingMode(s.mode);
  const bool ratio = mode == ShapingMode::kRatio || mode == ShapingMode::kRatioProd;
  s.coef_ship = mode == ShapingMode::kCombined ? t.coef_ship : mode == ShapingMode::kShips || ratio ? t.shaping_coef : 0.0;
  s.coef_planet = mode == ShapingMode::kCombined ? t.coef_planet : mode == ShapingMode::kPlanets || ratio ? t.shaping_coef : 0.0;
  s.dense_coef_ship = t.dense_coef_ship;
  s.dense_coef_planet = t.dense_coef_planet;
  s.clip = t.shaping_clip;
  s.time_penalty = t.time_penalty_coef;
  s.time_bonus = t.time_bonus_coef;
  s.horizon = t.horizon;
  return s;
}

int threads_of(const Config& config) {
  return config.device.threads > 0 ? config.device.threads : int(std::max(1u, std::thread::hardware_concurrency()));
}

void load_weights(const Policy& policy, const std::string& file, const std::optional<std::string>& key, bool may_lack_value_head) {
  std::vector<std::string> may_be_missing;
  if (may_lack_value_head) may_be_missing = {"value_head.", "ship_log_std."};
  const auto absent = load_by_name(policy.named_parameters(), read_state_dict(file, key.value_or("")), may_be_missing, file);
  log_info("weights: " + file + (absent.empty() ? "" : " (imitation-learned: value_head and ship_log_std start fresh)"));
}

}  // namespace

at::Device device_of(const Config& config) { return at::Device(config.device.type); }

// Matrix products and sums round differently when they are parted differently, so deterministic runs leave them to one thread.
void use_threads(const Config& config) {
  at::set_num_threads(config.device.deterministic ? 1 : threads_of(config));
  at::globalContext().setDeterministicAlgorithms(config.device.deterministic && config.device.type == "cuda", /*warn_only=*/false);
  at::globalContext().setDeterministicFillUninitializedMemory(false);  // a help for debugging, slow
  if (config.device.deterministic) ::setenv("CUBLAS_WORKSPACE_CONFIG", ":4096:8", /*overwrite=*/0);  // read when cuBLAS starts
}

OrbitPolicyConfig network_of(const Config& config) {
  const ModelConfig& m = config.model;
  return {m.hidden, m.attn_heads, m.inducing_points, m.encoder_layers, m.head_dropout, m.ship_log_std_init, m.no_op_bias};
}

std::shared_ptr<Policy> make_policy(const Config& config) {
  const at::Device device = device_of(config);
  return make_orbit_policy(network_of(config), uint64_t(config.training.seed), device.is_cpu() ? Layout::kPacked : Layout::kPadded, device);
}

std::shared_ptr<Policy> load_policy(const std::string& file, const std::string& key, const Config& config) {
  std::shared_ptr<Policy> policy;
  if (file.ends_with(".ts")) {
    if (!key.empty()) throw UserError(file + ": a TorchScript module has no key \"" + key + "\"");
    policy = load_torchscript(file, device_of(config));
  } else {
    policy = make_policy(config);
    load_by_name(policy->named_parameters(), read_state_dict(file, key), {}, file);
  }
  policy->train(false);
  return policy;
}

void load_start_weights(const Policy& policy, const Config& config) {
  if (config.bc_warmstart.enabled) load_weights(policy, config.bc_warmstart.weights_path, config.bc_warmstart.weights_key, true);
  if (config.training.resume_from) load_weights(policy, *config.training.resume_from, config.training.resume_key, false);
}

Greedy greedy_of(const Config& config) { return config.training.greedy == "fire" ? Greedy::kFire : Greedy::kArgmax; }

VecEnvOptions environment_options(const Config& config, int64_t environments) {
  const TrainingConfig& t = config.training;
  VecEnvOptions o;
  o.environments = environments;
  o.max_fleets = config.environment.max_fleets;
  o.rules = {config.environment.players, config.environment.episode_steps, kDefaultShipSpeed,
             Motion(index_of(config.environment.motion, {"exact", "fast", "float"}))};
  o.decode = {t.decoder == "strict", t.aim == "bearing", t.self_target == "bearing"};
  o.history = index_of(t.history, {"full", "snapshots", "none"});
  o.shaping = shaping_of(t);
  o.seed = uint64_t(t.seed);
  o.device = device_of(config);
  o.threads = threads_of(config);
  return o;
}

RolloutOptions rollout_options(const Config& config) {
  return {config.training.horizon, config.environment.auto_reset, config.training.bootstrap_truncated, uint64_t(config.training.seed)};
}

UpdateOptions update_options(const Config& config) {
  const TrainingConfig& t = config.training;
  return {t.ppo_epochs,
          t.minibatch_size,
          {t.clip_eps, t.value_coef, t.entropy_coef, t.kl_beta},
          t.target_kl.value_or(0.0),
          t.advantage_norm == "minibatch",
          uint64_t(t.seed)};
}

AdamWOptions optimizer_options(const Config& config) {
  const TrainingConfig& t = config.training;
  AdamWOptions o;
  o.lr = t.lr;
  o.lr_end = t.lr_end.value_or(t.lr);
  o.schedule_steps = t.lr_end ? t.lr_schedule_steps.value_or(0) : 0;
  o.weight_decay = t.weight_decay;
  o.max_grad_norm = t.max_grad_norm;
  return o;
}

std::vector<at::Tensor> make_bank(const Config& config, int64_t first_seed, int64_t boards) {
  BoardBank bank = make_board_bank(consecutive_seeds(first_seed, boards), kDefaultCometSpeed, threads_of(config));
  for (at::Tensor& t : bank) t = t.to(device_of(config));
  return bank;
}

std::string opponent_of(const Config& config, int64_t iteration) {
  const TrainingConfig& t = config.training;
  if (t.opponent != "curriculum") return t.opponent;
  const OpponentCurriculumConfig& c = *t.opponent_curriculum;
  if (iteration < c.switch_iter) return c.early;
  if (c.mid && iteration < c.mid_switch_iter.value_or(c.switch_iter)) return *c.mid;
  return c.late;
}

std::unique_ptr<Player> make_player(const std::string& name, const Config& config) {
  if (!is_policy_file(name)) return make_scripted_player(name);
  return make_policy_player(load_policy(name, "", config), greedy_of(config));
}

std::unique_ptr<Player> make_opponent(const std::string& name, const Config& config, std::shared_ptr<const Policy> reference) {
  if (name == "self") return nullptr;
  if (name == "self_snapshot") return make_policy_player(std::move(reference), greedy_of(config));
  return make_player(name, config);
}

bool needs_reference(const Config& config) {
  const TrainingConfig& t = config.training;
  if (t.kl_beta > 0 || t.opponent == "self_snapshot") return true;
  if (t.opponent != "curriculum") return false;
  const OpponentCurriculumConfig& c = *t.opponent_curriculum;
  return c.early == "self_snapshot" || c.late == "self_snapshot" || c.mid == "self_snapshot";
}

}  // namespace orbit

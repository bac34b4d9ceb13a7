#include "src/setup.h"
#include <ATen/Context.h>
#include <ATen/Parallel.h>
#include <algorithm>
#include <cstdlib>
#include <thread>
#include "extensions/board_bank.h"
#include "envs/orbit_wars/features.h"
#include "envs/orbit_wars/standing.h"
#include "src/checkpoint/named_weights.h"
#include "src/checkpoint/optimizer_state.h"
#include "src/common/error.h"
#include "src/common/log.h"
#include "src/config/check.h"
#include "src/policy/normalised_policy.h"
#include "src/small_env_setup.h"
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
  const NamedTensors given = read_state_dict(file, key.value_or(""));
  // Statistics of observations start anew where the file has none.
  const bool statistics = std::any_of(given.begin(), given.end(), [](const auto& t) { return t.first.starts_with("observation_norm."); });
  const auto absent = load_by_name(statistics ? policy.named_state() : policy.named_parameters(), given, may_be_missing, file);
  log_info("weights: " + file + (absent.empty() ? "" : " (imitation-learned: value_head and ship_log_std start fresh)"));
}

Greedy greedy_of(const Config& config) { return config.training.greedy == "fire" ? Greedy::kFire : Greedy::kArgmax; }

Schedule schedule(double start, const std::optional<ScheduleConfig>& s) {
  return s ? Schedule{start, s->end, s->steps, s->shape == "cosine"} : Schedule{start};
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
  OrbitPolicyConfig c{m.hidden, m.attn_heads, m.inducing_points, m.encoder_layers, m.head_dropout, m.ship_log_std_init, m.no_op_bias};
  c.greedy = greedy_of(config);
  c.orthogonal = m.init == "orthogonal";
  c.bf16 = config.device.precision == "bf16";
  return c;
}

Layout layout_of(const Config& config) {
  return config.device.type == "cpu" && config.device.precision == "float32" ? Layout::kPacked : Layout::kPadded;
}

std::shared_ptr<Policy> make_policy(const Config& config, Layout layout) {
  const at::Device device = device_of(config);
  const bool orbit_wars = config.environment.name == kOrbitWars;
  std::unique_ptr<Policy> policy = orbit_wars ? make_orbit_policy(network_of(config), uint64_t(config.training.seed), layout, device)
                                              : make_small_env_policy(config);
  if (!config.training.observation_norm) return policy;
  return normalise_observations(std::move(policy), observation_of(config), device);
}

std::vector<TensorSpec> observation_of(const Config& config) {
  return config.environment.name == kOrbitWars ? OrbitTask::seen() : small_env_observation(config);
}

std::shared_ptr<Policy> load_policy(const std::string& file, const std::string& key, const Config& config) {
  std::shared_ptr<Policy> policy;
  if (file.ends_with(".ts")) {
    if (!key.empty()) throw UserError(file + ": a TorchScript module has no key \"" + key + "\"");
    policy = load_torchscript(file, device_of(config), greedy_of(config));
  } else {
    policy = make_policy(config, layout_of(config));
    load_by_name(policy->named_state(), read_state_dict(file, key), {}, file);
  }
  policy->train(false);
  return policy;
}

void load_start_weights(const Policy& policy, const Config& config) {
  if (config.bc_warmstart.enabled) load_weights(policy, config.bc_warmstart.weights_path, config.bc_warmstart.weights_key, true);
  if (config.training.resume_from) load_weights(policy, *config.training.resume_from, config.training.resume_key, false);
}

PoolOptions pool_options(const Config& config) {
  const OpponentPoolConfig c = config.training.opponent_pool.value_or(OpponentPoolConfig{});
  return {c.snapshot_every,
          c.cap,
          PoolPriority(index_of(c.priority, {"uniform", "f_hard", "f_var"})),
          c.priority_p,
          c.priority_ema,
          c.late_full_prob,
          uint64_t(config.training.seed)};
}

TrainState make_train_state(const Config& config, int64_t rows, Layout layout) {
  TrainState s(device_of(config));
  s.policy = make_policy(config, layout);
  load_start_weights(*s.policy, config);
  if (needs_reference(config)) {
    s.reference = s.policy->clone();
    s.reference->train(false);
    s.reference->set_requires_grad(false);
  }
  if (plays_against(config.training, "pool")) s.pool = std::make_unique<OpponentPool>(pool_options(config), s.policy->clone());
  s.optimizer = std::make_unique<AdamW>(s.policy->named_parameters(), optimizer_options(config));
  if (const auto& key = config.training.resume_optimizer)
    read_optimizer(*config.training.resume_from, *key, config.training.resume_key.value_or(""), names_of(s.policy->named_parameters()),
                   *s.optimizer);
  if (config.training.reward_norm) s.reward_norm = std::make_unique<RewardNorm>(rows, config.training.gamma, device_of(config));
  return s;
}

Seating learning_seats(const Config& config) {
  const int64_t n = config.training.episodes_per_iter, players = config.environment.players;
  if (config.training.opponent == "self") return {all_seats(n, players, device_of(config)), {}};
  return alternate_seats(n, players, device_of(config));
}

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

MakeBackend capture_backend(const Config& config) {
  if (config.device.type == "cuda" && config.device.capture) return make_cuda_backend;
  return [] { return std::unique_ptr<CaptureBackend>(); };
}

RolloutOptions rollout_options(const Config& config) {
  return {config.training.horizon, config.training.bootstrap_truncated, uint64_t(config.training.seed)};
}

UpdateOptions update_options(const Config& config) {
  const TrainingConfig& t = config.training;
  UpdateOptions o;
  o.epochs = t.ppo_epochs;
  o.minibatch_size = t.minibatch_size;
  o.accumulation = t.accumulation;
  if (is_recurrent(config)) o.sequence_length = config.model.rnn.value_or(RnnConfig{}).sequence_length;
  o.loss = {schedule(t.clip_eps, t.clip_eps_schedule), schedule(t.entropy_coef, t.entropy_coef_schedule),
            schedule(t.kl_beta, t.kl_beta_schedule), t.value_coef, t.value_clip_eps};
  o.target_kl = t.target_kl.value_or(0.0);
  o.normalise_minibatch = t.advantage_norm == "minibatch";
  o.reference_decay = t.kl_reference_decay;
  o.loss_limit = t.divergence_loss;
  o.seed = uint64_t(t.seed);
  return o;
}

AdamWOptions optimizer_options(const Config& config) {
  const TrainingConfig& t = config.training;
  AdamWOptions o;
  o.lr = {t.lr, t.lr_end.value_or(t.lr), t.lr_end ? t.lr_schedule_steps.value_or(0) : 0, t.lr_schedule == "cosine"};
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
  return is_policy_file(name) ? make_policy_player(load_policy(name, "", config)) : make_scripted_player(name);
}

std::unique_ptr<Player> make_opponent(const std::string& name, const Config& config, const TrainState& state) {
  if (name == "self") return nullptr;
  if (name == "self_snapshot") return make_policy_player(state.reference);
  if (name == "pool") return make_policy_player(state.pool->opponent());
  return make_player(name, config);
}

bool has_kl_term(const Config& config) { return config.training.kl_beta > 0 || config.training.kl_beta_schedule; }

bool needs_reference(const Config& config) { return has_kl_term(config) || plays_against(config.training, "self_snapshot"); }

}  // namespace orbit

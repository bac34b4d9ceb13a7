// Every setting of a run: one struct a section of the YAML file, member names are the keys. Defaults stand at the fields;
// key, legal range and meaning stand in `describe` right below them, the one schema that reading, writing and suggestions use.
// Words are strings, checked against their choices. std::optional: absent (or null) means off.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "src/config/field.h"
#include "src/config/model_config.h"

namespace orbit {

// The game; every other environment is a small one (envs/README.md).
inline const char* const kOrbitWars = "orbit_wars";

// Start from weights, and measure kl_beta's KL against them.
struct BcWarmstartConfig {
  bool enabled = false;
  std::string weights_path;
  std::optional<std::string> weights_key;

  template <class Visitor>
  void describe(Visitor& v) {
    v.field("enabled", enabled, "start from weights_path; training.kl_beta then holds the policy near them");
    v.field("weights_path", weights_path, Text::kAny,
            "a .pt file: a full policy, or an imitation-learned one without value head");
    v.field("weights_key", weights_key, Text::kAny, "where in that file the weights are, if several places fit");
  }
};

// Opponents that a stage of a curriculum, or training.opponent itself, can name; check.cpp has those that are not there yet.
inline Choices stage_opponents() { return {"noop", "random", "starter", "self_snapshot", "baseline_jax_lite", "pool", kPolicyFile}; }
inline Choices training_opponents() {
  return {"self", "noop", "random", "starter", "self_snapshot", "curriculum", "baseline_jax_lite", "pool", kPolicyFile};
}

// Iterations count from 0: `early` before switch_iter, then `late`; with `mid`: early, mid from switch_iter on, late from
// mid_switch_iter on.
struct OpponentCurriculumConfig {
  int switch_iter = 0;
  std::string early = "noop";
  std::string late = "starter";
  std::optional<std::string> mid;
  std::optional<int> mid_switch_iter;

  template <class Visitor>
  void describe(Visitor& v) {
    v.required("switch_iter", switch_iter, at_least(0), "the first iteration that no longer plays `early`");
    v.field("early", early, stage_opponents(), "opponent of the iterations before switch_iter");
    v.field("late", late, stage_opponents(), "opponent of the last stage");
    v.field("mid", mid, stage_opponents(), "opponent between switch_iter and mid_switch_iter");
    v.field("mid_switch_iter", mid_switch_iter, at_least(0), "the first iteration that plays `late` where there is a `mid`");
  }
};

// Past selves as opponents (src/league/opponent_pool.h).
struct OpponentPoolConfig {
  int snapshot_every = 5;
  int cap = 5;
  std::string priority = "uniform";
  double priority_p = 1.0;
  double priority_ema = 0.9;
  double late_full_prob = 0.0;
  bool include_lite = false;

  template <class Visitor>
  void describe(Visitor& v) {
    v.field("snapshot_every", snapshot_every, at_least(1), "iterations between snapshots");
    v.field("cap", cap, at_least(1), "snapshots kept");
    v.field("priority", priority, Choices{"uniform", "f_hard", "f_var"},
            "which snapshots are played more often: all alike, those that win most, or those nearest to even");
    v.field("priority_p", priority_p, at_least(0), "exponent of the priority");
    v.field("priority_ema", priority_ema, between(0, 1), "smoothing of the win rates behind the priority");
    v.field("late_full_prob", late_full_prob, between(0, 1), "share of iterations that play the newest snapshot, whatever the priority");
    v.field("include_lite", include_lite, "the rule agent baseline_jax_lite is a member too");
  }
};

// How a coefficient of the loss changes: from its own value to `end`, counted in optimizer steps.
struct ScheduleConfig {
  double end = 0.0;
  int steps = 0;
  std::string shape = "linear";

  template <class Visitor>
  void describe(Visitor& v) {
    v.required("end", end, at_least(0), "the value that is reached");
    v.required("steps", steps, at_least(1), "optimizer steps until then; constant afterwards");
    v.field("shape", shape, Choices{"linear", "cosine"}, "a straight line, or half a cosine wave");
  }
};

// The original's evaluation block. Read, not used: the section `evaluation` does this here.
struct HeldoutEvalConfig {
  int every = 0;
  std::string opponent = "baseline_jax_lite";
  int episodes = 32;
  int64_t seed = 0;
  double ref_elo = 1000.0;
  double agent_elo_init = 1000.0;
  double elo_k = 32.0;

  template <class Visitor>
  void describe(Visitor& v) {
    v.field("every", every, at_least(0), "iterations between evaluations, 0 for never");
    v.field("opponent", opponent, Text::kAny, "who is played");
    v.field("episodes", episodes, at_least(1), "games of one evaluation");
    v.field("seed", seed, at_least(0), "of its boards");
    v.field("ref_elo", ref_elo, any_number(), "Elo of the opponent");
    v.field("agent_elo_init", agent_elo_init, any_number(), "Elo of the policy at the start");
    v.field("elo_k", elo_k, at_least(0), "step of the Elo update");
  }
};

struct TrainingConfig {
  std::string algo = "ppo";
  int64_t seed = 0;
  int seeds = 1;
  int iterations = 0;
  int episodes_per_iter = 0;
  int horizon = 500;

  double lr = 1e-4;
  std::optional<double> lr_end;
  std::optional<int> lr_schedule_steps;
  std::string lr_schedule = "linear";
  double weight_decay = 1e-5;
  double max_grad_norm = 0.5;

  double gamma = 0.99;
  double gae_lambda = 0.95;
  double clip_eps = 0.2;
  std::optional<ScheduleConfig> clip_eps_schedule;
  double value_coef = 0.5;
  std::optional<double> value_clip_eps;
  double entropy_coef = 0.001;
  std::optional<ScheduleConfig> entropy_coef_schedule;
  double kl_beta = 0.0;
  std::optional<ScheduleConfig> kl_beta_schedule;
  std::optional<double> kl_reference_decay;
  int ppo_epochs = 2;
  int minibatch_size = 256;
  int accumulation = 1;
  std::optional<double> target_kl;
  std::string advantage_norm = "rollout";
  bool observation_norm = false;
  bool reward_norm = false;
  bool bootstrap_truncated = true;
  std::string on_divergence = "lower_lr";
  double divergence_loss = 1e6;
  double divergence_lr_factor = 0.5;

  std::string shaping_mode = "ships";
  double shaping_coef = 0.001;
  double coef_ship = 0.0;
  double coef_planet = 0.0;
  double dense_coef_ship = 0.0;
  double dense_coef_planet = 0.0;
  double shaping_clip = 0.0;
  double time_bonus_coef = 0.0;
  double time_penalty_coef = 0.0;

  std::string opponent = "noop";
  std::optional<OpponentCurriculumConfig> opponent_curriculum;
  std::optional<OpponentPoolConfig> opponent_pool;
  std::optional<HeldoutEvalConfig> heldout_eval;
  std::optional<std::string> resume_from;
  std::optional<std::string> resume_key;
  std::optional<std::string> resume_optimizer;

  std::string decoder = "plain";
  std::string aim = "intercept";
  std::string greedy = "argmax";
  std::string self_target = "none";
  std::string history = "full";

  template <class Visitor>
  void describe(Visitor& v) {
    v.field("algo", algo, Choices{"ppo"}, "the algorithm");
    v.field("seed", seed, between(0, 9007199254740992.0), "of weights, boards, actions and permutations");
    v.field("seeds", seeds, between(1, 1000), "runs one after the other, of seed, seed + 1, ...; a summary over them at the end");
    v.required("iterations", iterations, at_least(1), "rollouts, each followed by its updates");
    v.required("episodes_per_iter", episodes_per_iter, between(1, 65536), "environments (games) played in parallel");
    v.field("horizon", horizon, between(1, 100000), "steps an environment plays an iteration; a game unfinished there is truncated");

    v.field("lr", lr, between(0, 1), "learning rate of AdamW");
    v.field("lr_end", lr_end, between(0, 1), "learning rate after lr_schedule_steps; null: constant");
    v.field("lr_schedule_steps", lr_schedule_steps, at_least(1), "optimizer steps from lr to lr_end");
    v.field("lr_schedule", lr_schedule, Choices{"linear", "cosine"}, "the way from lr to lr_end: a straight line, or half a cosine wave");
    v.field("weight_decay", weight_decay, between(0, 1), "of AdamW, on all tensors");
    v.field("max_grad_norm", max_grad_norm, above(0), "gradients are scaled down to this norm");

    v.field("gamma", gamma, between(0, 1), "discount of a step");
    v.field("gae_lambda", gae_lambda, between(0, 1), "bias against variance of the advantages");
    v.field("clip_eps", clip_eps, above(0), "the probability ratio is clipped to 1 +- this");
    v.section("clip_eps_schedule", clip_eps_schedule, "how clip_eps changes; null: constant");
    v.field("value_coef", value_coef, at_least(0), "weight of the value loss");
    v.field("value_clip_eps", value_clip_eps, above(0), "the value's loss is clipped this far from the old value; null: off");
    v.field("entropy_coef", entropy_coef, at_least(0), "weight of the entropy bonus");
    v.section("entropy_coef_schedule", entropy_coef_schedule, "how entropy_coef changes; null: constant");
    v.field("kl_beta", kl_beta, at_least(0), "weight of KL(policy, reference); the reference is the weights at the start");
    v.section("kl_beta_schedule", kl_beta_schedule, "how kl_beta changes; null: constant");
    v.field("kl_reference_decay", kl_reference_decay, between(0, 1),
            "the reference follows: this times itself plus the rest of the policy, each update; null: frozen");
    v.field("ppo_epochs", ppo_epochs, between(1, 1000), "passes over a rollout");
    v.field("minibatch_size", minibatch_size, between(1, 16777216), "states an update");
    v.field("accumulation", accumulation, between(1, 65536),
            "parts that a minibatch is computed in, for less memory; minibatch_size is a multiple");
    v.field("target_kl", target_kl, above(0), "skip the rest of an iteration's updates past this approximate KL; null: off");
    v.field("advantage_norm", advantage_norm, Choices{"rollout", "minibatch", "off"}, "over what advantages are normalised");
    v.field("observation_norm", observation_norm, "observations less their running mean, over their running deviation");
    v.field("reward_norm", reward_norm, "rewards over the running deviation of their discounted sum");
    v.field("bootstrap_truncated", bootstrap_truncated, "add the value of the last state where a game is cut by the horizon");

    v.field("on_divergence", on_divergence, Choices{"lower_lr", "stop"},
            "a loss that is no number or too large: back to the last good state with a lower rate, or the end of the run");
    v.field("divergence_loss", divergence_loss, above(0), "a loss beyond this counts as diverged");
    v.field("divergence_lr_factor", divergence_lr_factor, between(0, 1), "what the learning rate is multiplied by then");

    v.field("shaping_mode", shaping_mode, Choices{"ships", "planets", "combined", "ratio", "ratio_prod"},
            "the potential whose change is rewarded every turn");
    v.field("shaping_coef", shaping_coef, any_number(), "its weight (not in mode combined)");
    v.field("coef_ship", coef_ship, any_number(), "mode combined: weight of the ship lead's change");
    v.field("coef_planet", coef_planet, any_number(), "mode combined: weight of the planet lead's change");
    v.field("dense_coef_ship", dense_coef_ship, any_number(), "reward a turn for the share of ships");
    v.field("dense_coef_planet", dense_coef_planet, any_number(), "reward a turn for the share of planets");
    v.field("shaping_clip", shaping_clip, at_least(0), "bound of a turn's shaping, 0 for none");
    v.field("time_bonus_coef", time_bonus_coef, any_number(), "extra for winning early: times 1 - t/horizon");
    v.field("time_penalty_coef", time_penalty_coef, any_number(), "taken off every turn");

    v.field("opponent", opponent, training_opponents(), "who sits in the other seats");
    v.section("opponent_curriculum", opponent_curriculum, "easy opponents first (opponent: curriculum)");
    v.section("opponent_pool", opponent_pool, "past selves (opponent: pool)");
    v.section("heldout_eval", heldout_eval, "the original trainer's evaluation; here see the section evaluation");
    v.field("resume_from", resume_from, Text::kAny, "weights to start from, a full policy; to go on with a run use --resume");
    v.field("resume_key", resume_key, Text::kAny, "where in that file the weights are, if several places fit");
    v.field("resume_optimizer", resume_optimizer, Text::kAny,
            "where in that file the state_dict of AdamW is, to go on with its moments and step count; absent: they start anew");

    v.field("decoder", decoder, Choices{"plain", "strict"}, "how actions become orders; strict: the original match agent's");
    v.field("aim", aim, Choices{"intercept", "bearing"}, "where a launch points: the meeting point, or the present position");
    v.field("greedy", greedy, Choices{"argmax", "fire"}, "evaluation: the likeliest target, or the likeliest that is a launch");
    v.field("self_target", self_target, Choices{"none", "bearing"},
            "a planet that targets itself: no launch, or one at angle 0");
    v.field("history", history, Choices{"full", "snapshots", "none"}, "the past that the features show");
  }
};

struct OutputConfig {
  std::string run_dir = "runs";
  std::optional<std::string> run_name;
  std::string weights_filename = "best.pt";
  std::string metrics_filename = "metrics.json";
  std::string run_meta_filename = "run.json";
  int save_every = 1;
  bool tensorboard = true;

  template <class Visitor>
  void describe(Visitor& v) {
    v.field("run_dir", run_dir, Text::kAny, "folder of runs; each gets a folder in it");
    v.field("run_name", run_name, Text::kFileName, "name of this run's folder; null: the config's name and the time");
    v.field("weights_filename", weights_filename, Text::kFileName, "the best weights");
    v.field("metrics_filename", metrics_filename, Text::kFileName, "one JSON object an iteration");
    v.field("run_meta_filename", run_meta_filename, Text::kFileName, "machine, build and times");
    v.field("save_every", save_every, at_least(1), "iterations between checkpoints; the last one is always saved");
    v.field("tensorboard", tensorboard, "write the metrics as TensorBoard event files too");
  }
};

struct EnvironmentConfig {
  std::string name = kOrbitWars;
  std::optional<std::string> library;
  std::optional<int> time_limit;
  std::string precision = "float32";
  int players = 2;
  bool auto_reset = true;
  int episode_steps = 500;
  int max_fleets = 512;
  std::string motion = "fast";
  int64_t board_seed_start = 0;
  int64_t board_bank_size = 2048;
  int64_t board_bank_start = 2048;
  int64_t board_bank_growth = 1024;
  std::optional<std::string> board_bank_file;

  template <class Visitor>
  void describe(Visitor& v) {
    v.field("name", name, Text::kAny, "orbit_wars, a small environment of envs/, or the one of library");
    v.field("library", library, Text::kAny, "an environment of scripts/gym_to_kernel.py, a built .so; the same as --env-library");
    v.field("time_limit", time_limit, at_least(0),
            "small environments: steps after which an episode is truncated, 0: never; null: the environment's own");
    v.field("precision", precision, Choices{"float32", "float64"}, "small environments: of their arithmetic");
    v.field("players", players, between(2, 4), "seats, 2 or 4");
    v.field("auto_reset", auto_reset,
            "a game that ends early makes room for another; false: its slot idles, as in the original");
    v.field("episode_steps", episode_steps, between(2, 100000), "the game's own step limit");
    v.field("max_fleets", max_fleets, between(16, 65536),
            "fleets in flight that fit, a multiple of 16; launches beyond are refused");
    v.field("motion", motion, Choices{"fast", "exact", "float"},
            "planet positions: within 1e-13 of the official game, or bit-equal; float: for GPUs with slow double units");
    v.field("board_seed_start", board_seed_start, between(0, 4294967295.0), "the first board seed of training");
    v.field("board_bank_size", board_bank_size, between(1, 1048576), "boards prepared; games draw from board_seed_start on");
    v.field("board_bank_start", board_bank_start, between(1, 1048576),
            "the first iteration draws from so many of them; training begins when these are made");
    v.field("board_bank_growth", board_bank_growth, between(0, 1048576),
            "each iteration draws from so many more; they are made in the background");
    v.field("board_bank_file", board_bank_file, Text::kAny,
            "boards are read from this file where it exists, else written to it when all are made");
  }
};

struct DeviceConfig {
  std::string type = "cpu";
  int threads = 0;
  bool deterministic = false;
  std::string precision = "float32";
  bool capture = true;
  bool fused = true;

  template <class Visitor>
  void describe(Visitor& v) {
    v.field("type", type, Choices{"cpu", "cuda"}, "where to train");
    v.field("threads", threads, between(0, 1024), "CPU threads, 0 for all cores; equal results need an equal number");
    v.field("deterministic", deterministic,
            "equal results with any number of threads: one for the network, all for the games; cuda: deterministic kernels");
    v.field("precision", precision, Choices{"float32", "bf16"},
            "of the network's matrix products; bf16 is slow on most CPUs. Weights and updates are float32");
    v.field("capture", capture, "cuda: record rollout step and update once and replay them");
    v.field("fused", fused,
            "cpu, mlp in float32: a rollout and a minibatch's gradient are one operator each; false: an operator a step, and autograd");
  }
};

// Orbit Wars: games of the argmax policy on boards that training never draws. Small environments: episodes of the greedy policy.
struct EvaluationConfig {
  int every = 0;
  int games = 64;
  std::vector<std::string> opponents = {"random", "starter"};
  int64_t seed_start = 1000000000;

  template <class Visitor>
  void describe(Visitor& v) {
    v.field("every", every, at_least(0), "iterations between evaluations, 0 for never");
    v.field("games", games, between(2, 65536),
            "games against each opponent, an even number: every board is played from both seats; or episodes");
    v.field("opponents", opponents, Choices{"noop", "random", "starter", kPolicyFile}, "who is played");
    v.field("seed_start", seed_start, between(0, 4294967295.0), "the first board seed, or the seed of the episodes; must lie outside of training's");
  }
};

struct Config {
  ModelConfig model;
  BcWarmstartConfig bc_warmstart;
  TrainingConfig training;
  OutputConfig output;
  EnvironmentConfig environment;
  DeviceConfig device;
  EvaluationConfig evaluation;

  template <class Visitor>
  void describe(Visitor& v) {
    v.section("model", model, "the network");
    v.section("bc_warmstart", bc_warmstart, "weights to start from");
    v.section("training", training, "PPO, rewards, opponents");
    v.section("output", output, "where results go");
    v.section("environment", environment, "the task");
    v.section("device", device, "the machine");
    v.section("evaluation", evaluation, "games that are not trained on");
  }
};

}  // namespace orbit

// Schemas of the operators, in one place. `state` and `bank` are lists of tensors, one per field, in the order that
// state_names() and bank_names() give; moves are (count (N, S), from, ships, angle (N, S, K)); seats are (N, R), the seats of
// each environment that the operator is about; motion: 0 exact, 1 fast, 2 float (Motion). What is written is marked.
#include <torch/library.h>
#include "extensions/env_batch.h"
#include "extensions/env_registry.h"
#include "extensions/game_batch.h"

TORCH_LIBRARY(orbit, m) {
  m.def("state_names() -> str[]", [] { return orbit::state_names(); });
  m.def("make_state(int games, int max_fleets=512, *, Device? device=None) -> Tensor[]", [](int64_t games, int64_t max_fleets,
                                                                                            std::optional<at::Device> device) {
    return orbit::make_state(games, max_fleets, device.value_or(at::kCPU));
  });
  m.def("bank_names() -> str[]", [] { return orbit::bank_names(); });
  m.def("make_boards(str[] seeds, float comet_speed=4., bool word_for_word=False, int threads=0) -> Tensor[]");
  m.def("draw_boards_(Tensor where, int seed, int bank_rows, Tensor(a!) games, Tensor(b!) board) -> ()");
  m.def("reset_(Tensor(a!)[] state, Tensor[] bank, Tensor where, Tensor board, int seats) -> ()");
  m.def(
      "step_(Tensor(a!)[] state, Tensor[] bank, Tensor move_count, Tensor move_from, Tensor move_ships, Tensor move_angle, "
      "int seats, int episode_steps, float ship_speed, int motion) -> ()");
  m.def(
      "observe_(Tensor[] state, Tensor[] bank, Tensor seats, int history, bool see_enemy_launches, Tensor(a!) planets, "
      "Tensor(b!) globals, Tensor(c!) valid, Tensor(d!) mine) -> ()");
  m.def(
      "aim_(Tensor[] state, Tensor[] bank, Tensor ships, Tensor(a!) ok, Tensor(b!) turns, Tensor(c!) angle, Tensor(d!) x, "
      "Tensor(e!) y) -> ()");
  m.def(
      "decode_(Tensor[] state, Tensor[] bank, Tensor seats, Tensor target, Tensor x, bool strict, bool bearing_aim, "
      "bool self_target_bearing, Tensor(a!) move_count, Tensor(b!) move_from, Tensor(c!) move_ships, Tensor(d!) move_angle) -> ()");
  m.def(
      "scripted_moves_(Tensor[] state, Tensor[] bank, Tensor seats, int opponent, int seed, Tensor turn, Tensor(a!) move_count, "
      "Tensor(b!) move_from, Tensor(c!) move_ships, Tensor(d!) move_angle) -> ()");
  m.def("standing_(Tensor[] state, Tensor[] bank, Tensor seats, Tensor(a!) standing) -> ()");
  m.def(
      "reward_(Tensor[] state, Tensor[] bank, Tensor seats, int game_seats, Tensor before, Tensor active, int shaping_mode, "
      "float[] shaping, int horizon, Tensor(a!) reward, Tensor(b!) terminated, Tensor(c!) outcome) -> ()");
  m.def(
      "track_episodes_(Tensor reward, Tensor terminated, Tensor active, Tensor? outcome, int time_limit, Tensor(a!) length, "
      "Tensor(b!) ret, Tensor(c!) truncated, Tensor(d!) finished, Tensor(e!) final_length, Tensor(f!) final_return, "
      "Tensor(g!) totals) -> ()");
  m.def(
      "action_draws_(int seed, int stream, Tensor agent, Tensor step, Tensor(a!) uniform, Tensor(b!) normal) -> ()");
  m.def(
      "gae_(Tensor reward, Tensor value, Tensor final_value, Tensor terminated, Tensor truncated, float gamma, float lambda_, "
      "Tensor(a!) advantage, Tensor(b!) ret) -> ()");

  // Small networks (extensions/mlp/mlp_tensors.h says what describes a policy), on a CPU. The rows of a minibatch are those that
  // order (n) has from position * minibatch_size on; of all n, the first `count` count, the rest is padding. gradients: of each
  // weight, then of log_std; they are overwritten. terms: LossTerm in minibatch_record.h.
  m.def(
      "ppo_gradient_(Tensor[] weights, bool shared, bool relu, int[] choices, Tensor? log_std, float[] low, float[] high, "
      "Tensor? mean, Tensor? variance, Tensor observation, Tensor action, Tensor log_prob, Tensor value, Tensor advantage, "
      "Tensor ret, Tensor order, Tensor position, Tensor count, int minibatch_size, bool normalise_advantage, Tensor clip_eps, "
      "Tensor entropy_coef, float value_coef, float? value_clip_eps, Tensor(a!)[] gradients, Tensor(b!) terms) -> ()");
  // Gradients scaled down to a global norm, and AdamW unless skip is 1: over lists of tensors, on a CPU.
  m.def("clip_gradients_(Tensor(a!)[] gradients, float max_norm, Tensor(b!) norm) -> ()");
  m.def(
      "adamw_(Tensor(a!)[] parameters, Tensor[] gradients, Tensor(b!)[] exp_avg, Tensor(c!)[] exp_avg_sq, Tensor(d!)[] steps, Tensor lr, "
      "Tensor skip, float beta1, float beta2, float weight_decay, float eps) -> ()");
  // A number of the schedule (schedule.h) after steps_done optimizer steps, times scale where there is one; all () float32.
  m.def("schedule_(Tensor steps_done, float start, float end, int steps, bool cosine, Tensor? scale, Tensor(a!) value) -> ()");
  // Whether a minibatch's update may be applied, and what is noted of it (minibatch_record.h).
  m.def("judge_minibatch_(Tensor terms, Tensor norm, Tensor stopped, float loss_limit, Tensor(a!) skip) -> ()");
  m.def(
      "record_minibatch_(Tensor terms, Tensor norm, Tensor skip, float target_kl, Tensor(a!) sums, Tensor(b!) stopped, Tensor(c!) diverged, "
      "Tensor(d!) position) -> ()");

  // Small environments (envs/common/env_contract.h) by name. `batch` is a list of tensors in the order of env_batch_names();
  // `first` is the number of its first environment; time_limit -1: the environment's own, 0: none; given: numbers for the draws.
  m.def("env_names() -> str[]", [] { return orbit::env_names(); });
  m.def("load_env_library(str path) -> str", [](const std::string& path) { return orbit::load_env_library(path); });
  m.def("env_description(str env) -> str", [](const std::string& env) { return orbit::describe_env(orbit::find_env(env)); });
  m.def("env_batch_names() -> str[]", [] { return orbit::env_batch_names(); });
  m.def("make_env_batch(str env, int environments, bool in_double=False) -> Tensor[]",
        [](const std::string& env, int64_t n, bool in_double) {
          return orbit::make_env_batch(orbit::find_env(env), n, in_double, at::kCPU);
        });
  m.def("env_faults(str env, Tensor fault, int first=0) -> str[]", [](const std::string& env, const at::Tensor& fault, int64_t first) {
    return orbit::env_faults(orbit::find_env(env), fault, first);
  });
  m.def("env_reset_(str env, Tensor(a!)[] batch, int seed, int first=0, Tensor? given=None) -> ()");
  m.def("env_step_(str env, Tensor(a!)[] batch, Tensor action, int seed, int first=0, int time_limit=-1, Tensor? given=None) -> ()");
  m.def("env_observe_(str env, Tensor(a!)[] batch) -> ()");
  // T steps of all environments with a small network, on a CPU. turn () int64: number of the first step; names the actions' draws.
  m.def(
      "env_rollout_(str env, Tensor(a!)[] batch, int env_seed, int first, int time_limit, Tensor[] weights, bool shared, bool relu, "
      "int[] choices, Tensor? log_std, float[] low, float[] high, Tensor? mean, Tensor? variance, int seed, Tensor turn, bool bootstrap, "
      "Tensor(b!) observation, Tensor(c!) action, Tensor(d!) log_prob, Tensor(e!) value, Tensor(f!) reward, Tensor(g!) terminated, "
      "Tensor(h!) truncated, Tensor(i!) final_value, Tensor(j!) goes_on) -> ()");
}

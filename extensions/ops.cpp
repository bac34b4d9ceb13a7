#include "extensions/ops.h"
#include <ATen/ops/zeros.h>
#include "extensions/episodes.h"
#include "extensions/operator_handle.h"

namespace orbit {

MoveTensors make_moves(int64_t environments, int64_t seats, int64_t orders, at::Device device) {
  const auto ints = at::TensorOptions().dtype(at::kInt).device(device);
  const auto reals = at::TensorOptions().dtype(at::kDouble).device(device);
  return {at::zeros({environments, seats}, ints), at::zeros({environments, seats, orders}, ints),
          at::zeros({environments, seats, orders}, ints), at::zeros({environments, seats, orders}, reals)};
}

EpisodeTensors make_episodes(int64_t n, int64_t r, at::Device device) {
  const auto zeros = [&](std::vector<int64_t> shape, at::ScalarType dtype) {
    return at::zeros(shape, at::TensorOptions().dtype(dtype).device(device));
  };
  return {zeros({n}, at::kInt),  zeros({n, r}, at::kFloat), zeros({n, r}, at::kBool), zeros({n}, at::kBool), zeros({n}, at::kInt),
          zeros({n, r}, at::kFloat), zeros({n, r, kEpisodeTotals}, at::kDouble)};
}

namespace ops {
void draw_boards_(T where, uint64_t seed, int64_t bank_rows, T games, T board) {
  static const auto op = find<void(T, int64_t, int64_t, Out, Out)>("orbit::draw_boards_");
  op.call(where, int64_t(seed), bank_rows, games, board);
}
void reset_(List state, List bank, T where, T board, int64_t seats) {
  static const auto op = find<void(List, List, T, T, int64_t)>("orbit::reset_");
  op.call(state, bank, where, board, seats);
}
void step_(List state, List bank, const MoveTensors& m, const GameRules& rules) {
  static const auto op = find<void(List, List, T, T, T, T, int64_t, int64_t, double, int64_t)>("orbit::step_");
  op.call(state, bank, m.count, m.from, m.ships, m.angle, rules.seats, rules.episode_steps, rules.ship_speed, int64_t(rules.motion));
}
void observe_(List state, List bank, T seats, int64_t history, const ObservationTensors& o) {
  static const auto op = find<void(List, List, T, int64_t, bool, Out, Out, Out, Out)>("orbit::observe_");
  op.call(state, bank, seats, history, false, o.planets, o.globals, o.valid, o.mine);
}
void aim_(List state, List bank, T ships, const AimTensors& a) {
  static const auto op = find<void(List, List, T, Out, Out, Out, Out, Out)>("orbit::aim_");
  op.call(state, bank, ships, a.ok, a.turns, a.angle, a.x, a.y);
}
void decode_(List state, List bank, T seats, T target, T x, const DecodeRules& rules, const MoveTensors& m) {
  static const auto op = find<void(List, List, T, T, T, bool, bool, bool, Out, Out, Out, Out)>("orbit::decode_");
  op.call(state, bank, seats, target, x, rules.strict, rules.bearing_aim, rules.self_target_bearing, m.count, m.from, m.ships, m.angle);
}
void scripted_moves_(List state, List bank, T seats, int64_t opponent, uint64_t seed, T turn, const MoveTensors& m) {
  static const auto op = find<void(List, List, T, int64_t, int64_t, T, Out, Out, Out, Out)>("orbit::scripted_moves_");
  op.call(state, bank, seats, opponent, int64_t(seed), turn, m.count, m.from, m.ships, m.angle);
}
void standing_(List state, List bank, T seats, T standing) {
  static const auto op = find<void(List, List, T, Out)>("orbit::standing_");
  op.call(state, bank, seats, standing);
}
void reward_(List state, List bank, T seats, int64_t game_seats, T before, T active, const ShapingWeights& s, T reward, T terminated,
             T outcome) {
  static const auto op =
      find<void(List, List, T, int64_t, T, T, int64_t, at::ArrayRef<double>, int64_t, Out, Out, Out)>("orbit::reward_");
  const double weights[] = {s.coef_ship, s.coef_planet, s.dense_coef_ship, s.dense_coef_planet, s.clip, s.time_penalty, s.time_bonus};
  op.call(state, bank, seats, game_seats, before, active, s.mode, weights, s.horizon, reward, terminated, outcome);
}
void track_episodes_(T reward, T terminated, T active, const std::optional<at::Tensor>& outcome, int64_t time_limit,
                     const EpisodeTensors& e) {
  static const auto op = find<void(T, T, T, const std::optional<at::Tensor>&, int64_t, Out, Out, Out, Out, Out, Out, Out)>("orbit::track_episodes_");
  op.call(reward, terminated, active, outcome, time_limit, e.length, e.ret, e.truncated, e.finished, e.final_length, e.final_return,
          e.totals);
}
void action_draws_(uint64_t seed, int64_t stream, T agent, T step, T uniform, T normal) {
  static const auto op = find<void(int64_t, int64_t, T, T, Out, Out)>("orbit::action_draws_");
  op.call(int64_t(seed), stream, agent, step, uniform, normal);
}
void gae_(T reward, T value, T final_value, T terminated, T truncated, double gamma, double lambda, T advantage, T ret) {
  static const auto op = find<void(T, T, T, T, T, double, double, Out, Out)>("orbit::gae_");
  op.call(reward, value, final_value, terminated, truncated, gamma, lambda, advantage, ret);
}

void env_reset_(const std::string& env, List batch, uint64_t seed, int64_t first, const std::optional<at::Tensor>& given) {
  static const auto op = find<void(c10::string_view, List, int64_t, int64_t, const std::optional<at::Tensor>&)>("orbit::env_reset_");
  op.call(env, batch, int64_t(seed), first, given);
}
void env_step_(const std::string& env, List batch, T action, uint64_t seed, int64_t first, int64_t time_limit,
               const std::optional<at::Tensor>& given) {
  static const auto op =
      find<void(c10::string_view, List, T, int64_t, int64_t, int64_t, const std::optional<at::Tensor>&)>("orbit::env_step_");
  op.call(env, batch, action, int64_t(seed), first, time_limit, given);
}
void env_observe_(const std::string& env, List batch) {
  static const auto op = find<void(c10::string_view, List)>("orbit::env_observe_");
  op.call(env, batch);
}

}  // namespace ops
}  // namespace orbit

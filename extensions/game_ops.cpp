// The operators of Orbit Wars: tensors are checked here, then a body runs over the environments.
#include <torch/library.h>
#include "extensions/checks.h"
#include "extensions/game_batch.h"
#include "extensions/launch.h"
#include "extensions/run_body.h"

#if defined(ORBIT_WITH_CUDA)
#define ORBIT_LAUNCH(name) orbit::name
#else
#define ORBIT_LAUNCH(name) nullptr
#endif

namespace orbit {
namespace {
constexpr int64_t kAny = -1;

BatchView read_view(at::TensorList state, at::TensorList bank, int64_t seats = 2) {
  return view_of(state, bank, seats, kDefaultEpisodeSteps, kDefaultShipSpeed);
}
at::Device device_of(at::TensorList state) {
  TORCH_CHECK(!state.empty(), "state: expected ", kStateTensors, " tensors, found none");
  return state.back().device();
}
SeatsView check_seats(const at::Tensor& seats, const BatchView& view, at::Device device) {
  check_tensor(seats, "seats", at::kInt, {view.count, kAny}, device);
  return {read_pointer<int32_t>(seats), int32_t(seats.size(1))};
}

void draw_boards_(const at::Tensor& where, int64_t seed, int64_t bank_rows, at::Tensor games, at::Tensor board) {
  check_tensor(where, "where", at::kBool, {kAny}, where.device());
  check_tensor(games, "games", at::kInt, {where.size(0)}, where.device());
  check_tensor(board, "board", at::kInt, {where.size(0)}, where.device());
  TORCH_CHECK(bank_rows > 0 && bank_rows <= INT32_MAX, "bank_rows: expected 1 to ", INT32_MAX, " boards, found ", bank_rows);
  const DrawBoardsBody body{read_pointer<bool>(where), uint64_t(seed), bank_rows, write_pointer<int32_t>(games),
                            write_pointer<int32_t>(board)};
  if (where.is_meta()) return;
  if (where.is_cpu()) {
    for (int64_t env = 0; env < where.size(0); ++env) body(env);
    return;
  }
#if defined(ORBIT_WITH_CUDA)
  C10_CUDA_CHECK(cudaError_t(launch_draw_boards(body, where.size(0), c10::cuda::getCurrentCUDAStream().stream())));
#endif
}

void reset_(at::TensorList state, at::TensorList bank, const at::Tensor& where, const at::Tensor& board, int64_t seats) {
  const BatchView view = read_view(state, bank, seats);
  check_tensor(where, "where", at::kBool, {view.count}, device_of(state));
  check_tensor(board, "board", at::kInt, {view.count}, device_of(state));
  run_body(ResetBody{view, read_pointer<bool>(where), read_pointer<int32_t>(board)}, where, ORBIT_LAUNCH(launch_reset));
}

void step_(at::TensorList state, at::TensorList bank, const at::Tensor& move_count, const at::Tensor& move_from,
           const at::Tensor& move_ships, const at::Tensor& move_angle, int64_t seats, int64_t episode_steps, double ship_speed,
           int64_t motion) {
  const BatchView view = view_of(state, bank, seats, episode_steps, ship_speed);
  const MovesView moves = view_of_moves(move_count, move_from, move_ships, move_angle, view.count, device_of(state));
  TORCH_CHECK(motion >= 0 && motion <= int64_t(Motion::kFloat), "motion: expected 0 (exact), 1 (fast) or 2 (float), found ", motion);
  TORCH_CHECK(moves.seats == seats, "move_from: expected ", seats, " seats, found ", moves.seats);
  switch (Motion(motion)) {
    case Motion::kExact: return run_body(StepBody<Motion::kExact>{view, moves}, move_count, ORBIT_LAUNCH(launch_step));
    case Motion::kFast: return run_body(StepBody<Motion::kFast>{view, moves}, move_count, ORBIT_LAUNCH(launch_step));
    case Motion::kFloat: return run_body(StepBody<Motion::kFloat>{view, moves}, move_count, ORBIT_LAUNCH(launch_step));
  }
}

void observe_(at::TensorList state, at::TensorList bank, const at::Tensor& seats, int64_t history, bool see_enemy_launches,
              at::Tensor planets, at::Tensor globals, at::Tensor valid, at::Tensor mine) {
  const BatchView view = read_view(state, bank);
  const at::Device device = device_of(state);
  const SeatsView s = check_seats(seats, view, device);
  TORCH_CHECK(history >= 0 && history <= int64_t(HistoryMode::kNone), "history: expected 0 to 2, found ", history);
  check_tensor(planets, "planets", at::kFloat, {view.count, s.per_env, kFeatureSlots, kPlanetFeatures}, device);
  check_tensor(globals, "globals", at::kFloat, {view.count, s.per_env, kGlobalFeatures}, device);
  check_tensor(valid, "valid", at::kBool, {view.count, s.per_env, kFeatureSlots}, device);
  check_tensor(mine, "mine", at::kBool, {view.count, s.per_env, kFeatureSlots}, device);
  const ObservationRow out{write_pointer<float>(planets), write_pointer<float>(globals),
                           reinterpret_cast<uint8_t*>(write_pointer<bool>(valid)),
                           reinterpret_cast<uint8_t*>(write_pointer<bool>(mine))};
  run_body(ObserveBody{view, s, FeatureOptions{HistoryMode(history), see_enemy_launches}, out}, seats, ORBIT_LAUNCH(launch_observe));
}

void aim_(at::TensorList state, at::TensorList bank, const at::Tensor& ships, at::Tensor ok, at::Tensor turns, at::Tensor angle,
          at::Tensor x, at::Tensor y) {
  const BatchView view = read_view(state, bank);
  const at::Device device = device_of(state);
  check_tensor(ships, "ships", at::kInt, {view.count, kAny, kAny}, device);
  const int64_t sources = ships.size(1), targets = ships.size(2);
  TORCH_CHECK(sources <= kMaxPlanets && targets <= kMaxPlanets, "ships: expected at most ", kMaxPlanets,
              " sources and targets, found shape ", ships.sizes());
  check_tensor(ok, "ok", at::kBool, ships.sizes(), device);
  check_tensor(turns, "turns", at::kInt, ships.sizes(), device);
  check_tensor(angle, "angle", at::kDouble, ships.sizes(), device);
  check_tensor(x, "x", at::kDouble, ships.sizes(), device);
  check_tensor(y, "y", at::kDouble, ships.sizes(), device);
  const AimGrid grid{read_pointer<int32_t>(ships),   write_pointer<bool>(ok),  write_pointer<int32_t>(turns),
                     write_pointer<double>(angle), write_pointer<double>(x), write_pointer<double>(y),
                     int32_t(sources),                 int32_t(targets)};
  run_body(AimBody{view, grid}, ships, ORBIT_LAUNCH(launch_aim));
}

void decode_(at::TensorList state, at::TensorList bank, const at::Tensor& seats, const at::Tensor& target, const at::Tensor& x,
             bool strict, bool bearing_aim, bool self_target_bearing, at::Tensor move_count, at::Tensor move_from,
             at::Tensor move_ships, at::Tensor move_angle) {
  const at::Device device = device_of(state);
  BatchView view = read_view(state, bank);
  const MovesView moves = view_of_moves(move_count, move_from, move_ships, move_angle, view.count, device);
  view.rules.seats = moves.seats;
  TORCH_CHECK(moves.stride >= kFeatureSlots, "move_from: expected room for ", kFeatureSlots, " orders, found ", moves.stride);
  const SeatsView s = check_seats(seats, view, device);
  check_tensor(target, "target", at::kInt, {view.count, s.per_env, kFeatureSlots}, device);
  check_tensor(x, "x", at::kFloat, {view.count, s.per_env, kFeatureSlots}, device);
  run_body(DecodeBody{view, s, read_pointer<int32_t>(target), read_pointer<float>(x),
                      DecodeOptions{strict, bearing_aim, self_target_bearing}, moves},
           seats, ORBIT_LAUNCH(launch_decode));
}

void scripted_moves_(at::TensorList state, at::TensorList bank, const at::Tensor& seats, int64_t opponent, int64_t seed,
                     const at::Tensor& turn, at::Tensor move_count, at::Tensor move_from, at::Tensor move_ships,
                     at::Tensor move_angle) {
  const at::Device device = device_of(state);
  BatchView view = read_view(state, bank);
  const MovesView moves = view_of_moves(move_count, move_from, move_ships, move_angle, view.count, device);
  view.rules.seats = moves.seats;
  TORCH_CHECK(opponent >= 0 && opponent <= int64_t(ScriptedOpponent::kStarter), "opponent: expected 0 to 2, found ", opponent);
  TORCH_CHECK(moves.stride >= kMaxPlanets, "move_from: expected room for ", kMaxPlanets, " orders, found ", moves.stride);
  check_tensor(turn, "turn", at::kLong, {}, device);
  const SeatsView s = check_seats(seats, view, device);
  run_body(ScriptedBody{view, s, ScriptedOpponent(opponent), uint64_t(seed), read_pointer<int64_t>(turn), moves}, seats,
           ORBIT_LAUNCH(launch_scripted));
}

void standing_(at::TensorList state, at::TensorList bank, const at::Tensor& seats, at::Tensor standing) {
  const BatchView view = read_view(state, bank);
  const SeatsView s = check_seats(seats, view, device_of(state));
  check_tensor(standing, "standing", at::kDouble, {view.count, s.per_env, kStandingColumns}, device_of(state));
  run_body(StandingBody{view, s, write_pointer<double>(standing)}, seats, ORBIT_LAUNCH(launch_standing));
}

// shaping: coef_ship, coef_planet, dense_coef_ship, dense_coef_planet, clip, time_penalty, time_bonus.
void reward_(at::TensorList state, at::TensorList bank, const at::Tensor& seats, int64_t game_seats, const at::Tensor& before,
             const at::Tensor& active, int64_t shaping_mode, at::ArrayRef<double> shaping, int64_t horizon, at::Tensor reward,
             at::Tensor terminated, at::Tensor outcome) {
  const BatchView view = read_view(state, bank, game_seats);
  const at::Device device = device_of(state);
  const SeatsView s = check_seats(seats, view, device);
  TORCH_CHECK(shaping.size() == 7, "shaping: expected 7 numbers, found ", shaping.size());
  TORCH_CHECK(shaping_mode >= 0 && shaping_mode <= int64_t(ShapingMode::kRatioProd), "shaping_mode: expected 0 to 4, found ",
              shaping_mode);
  TORCH_CHECK(horizon > 0 && horizon <= INT32_MAX, "horizon: expected a positive number below 2^31, found ", horizon);
  check_tensor(before, "before", at::kDouble, {view.count, s.per_env, kStandingColumns}, device);
  check_tensor(active, "active", at::kBool, {view.count}, device);
  check_tensor(reward, "reward", at::kFloat, {view.count, s.per_env}, device);
  check_tensor(terminated, "terminated", at::kBool, {view.count, s.per_env}, device);
  check_tensor(outcome, "outcome", at::kInt, {view.count, s.per_env}, device);
  const Shaping weights{ShapingMode(shaping_mode), shaping[0], shaping[1], shaping[2],      shaping[3],
                        shaping[4],                shaping[5], shaping[6], int32_t(horizon)};
  run_body(RewardBody{view, s, weights, read_pointer<double>(before), read_pointer<bool>(active), write_pointer<float>(reward),
                      write_pointer<bool>(terminated), write_pointer<int32_t>(outcome)},
           seats, ORBIT_LAUNCH(launch_reward));
}

template <class Library>
void implement(Library& m) {
  m.impl("draw_boards_", draw_boards_);
  m.impl("reset_", reset_);
  m.impl("step_", step_);
  m.impl("observe_", observe_);
  m.impl("aim_", aim_);
  m.impl("decode_", decode_);
  m.impl("scripted_moves_", scripted_moves_);
  m.impl("standing_", standing_);
  m.impl("reward_", reward_);
}
}  // namespace
}  // namespace orbit

TORCH_LIBRARY_IMPL(orbit, CPU, m) { orbit::implement(m); }
TORCH_LIBRARY_IMPL(orbit, Meta, m) { orbit::implement(m); }
#if defined(ORBIT_WITH_CUDA)
TORCH_LIBRARY_IMPL(orbit, CUDA, m) { orbit::implement(m); }
#endif

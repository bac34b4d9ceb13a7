#include "src/parity/operator_turn.h"
#include <ATen/ops/empty.h>
#include <cstring>
#include <type_traits>
#include "extensions/ops.h"

namespace orbit {
namespace {

template <class T>
at::Tensor tensor_of(const T* values, std::vector<int64_t> shape) {
  shape.insert(shape.begin(), 1);
  at::Tensor t = at::empty(shape, std::is_same_v<T, double> ? at::kDouble : at::kInt);
  std::memcpy(t.mutable_data_ptr(), values, size_t(t.nbytes()));
  return t;
}

}  // namespace

void OperatorTurn::make_tensors(const Game& game, const Rules& rules) {
  state_ = make_state(1, rules.max_fleets, at::kCPU);
  by_name_.clear();
  const std::vector<std::string> names = state_names();
  for (size_t i = 0; i < names.size(); ++i) by_name_[names[i]] = state_[i];
  const Board& b = game.board;
  std::map<std::string, at::Tensor> bank = {
      {"omega", tensor_of(b.omega, {})},
      {"wave_step", tensor_of(b.wave_step, {kMaxWaves})},
      {"wave_ships", tensor_of(b.wave_ships, {kMaxWaves})},
      {"path_length", tensor_of(b.path_length, {b.path_rows})},
      {"path_x", tensor_of(b.path_x, {b.path_rows, kMaxPath})},
      {"path_y", tensor_of(b.path_y, {b.path_rows, kMaxPath})},
      {"planet_count", tensor_of(b.planet_count, {})},
      {"home", tensor_of(b.home, {})},
      {"planet_ships", tensor_of(b.planet_ships, {kMaxPlanets})},
      {"planet_production", tensor_of(b.planet_production, {kMaxPlanets})},
      {"planet_x", tensor_of(b.planet_x, {kMaxPlanets})},
      {"planet_y", tensor_of(b.planet_y, {kMaxPlanets})},
  };
  bank_.clear();
  for (const std::string& name : bank_names()) bank_.push_back(bank.at(name));
  board_ = b.omega;
}

void OperatorTurn::copy_state(const Game& game, bool to_tensors) {
  Game g = game;
  const auto copy = [&](const std::string& name, auto* values) {
    const at::Tensor& t = by_name_.at(name);
    void* data = t.mutable_data_ptr();
    std::memcpy(to_tensors ? data : values, to_tensors ? values : data, size_t(t.nbytes()));
  };
  const auto copy_all = [&](const char* const* names) {
    return [&copy, names](auto*... arrays) {
      int i = 0;
      (copy(names[i++], arrays), ...);
    };
  };
  with_arrays(g.planets, copy_all(kPlanetArrayNames));
  with_arrays(g.fleets, copy_all(kFleetArrayNames));
  with_arrays(g.history, copy_all(kHistoryArrayNames));
  copy("scalars", g.now);
}

void OperatorTurn::operator()(Game& game, const Rules& rules, const Moves& moves, StepScratch&) {
  if (board_ != game.board.omega) make_tensors(game, rules);
  copy_state(game, true);
  const MoveTensors tensors{tensor_of(moves.count, {rules.seats}), tensor_of(moves.from, {rules.seats, moves.stride}),
                            tensor_of(moves.ships, {rules.seats, moves.stride}),
                            tensor_of(moves.angle, {rules.seats, moves.stride})};
  ops::step_(state_, bank_, tensors, GameRules{rules.seats, rules.episode_steps, rules.ship_speed, Motion::kExact});
  copy_state(game, false);
}

}  // namespace orbit

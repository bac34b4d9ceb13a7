#include "src/parity/trace_check.h"
#include <algorithm>
#include <map>
#include "envs/orbit_wars/reset.h"
#include "src/common/error.h"
#include "src/parity/hand_made_state.h"
#include "src/parity/trace_compare.h"

namespace orbit {
namespace {

GameStorage generated_game(const Trace& trace, int max_fleets) {
  GameStorage storage(max_fleets, kBoardWaves);
  try {
    write_board(make_board(Seed(trace.seed), trace.comet_speed), storage.board());
  } catch (const std::runtime_error& e) {
    throw UserError(trace.file + ": " + trace.name + ": " + e.what());
  }
  Game g = storage.view();
  reset_game(Serial{}, g, Rules{trace.seats, trace.episode_steps, max_fleets, trace.ship_speed}, 0);
  return storage;
}

// Where a move with an angle that is no number is not refused for another reason, the official game raises.
void check_angles(const Trace& trace, const TraceTurn& turn, const Game& game) {
  std::map<int32_t, int> slot;
  for (int i = 0; i < game.now->planet_count; ++i) slot.emplace(game.planets.id[i], i);
  std::vector<int32_t> garrison(game.planets.ships, game.planets.ships + game.now->planet_count);
  for (int seat = 0; seat < trace.seats; ++seat)
    for (const TraceMove& m : turn.moves[seat]) {
      const auto source = slot.find(m.from);
      if (source == slot.end() || game.planets.owner[source->second] != seat) continue;
      int32_t& ships = garrison[size_t(source->second)];
      if (m.ships <= 0 || ships < m.ships) continue;
      if (!m.angle_is_number)
        throw UserError(trace.file + ":" + std::to_string(turn.line) + ": " + trace.name + ": t " + std::to_string(turn.t) +
                        ": seat " + std::to_string(seat) + " launches at an angle that is no number");
      ships -= m.ships;
    }
}

bool has_odd_angle(const TraceTurn& turn, int seats) {
  for (int seat = 0; seat < seats; ++seat)
    for (const TraceMove& m : turn.moves[seat])
      if (!m.angle_is_number) return true;
  return false;
}

}  // namespace

TurnMoves::TurnMoves(const TraceTurn& turn, int seats) : count_(kMaxSeats) {
  for (int s = 0; s < seats; ++s) {
    count_[size_t(s)] = int32_t(turn.moves[s].size());
    stride_ = std::max(stride_, count_[size_t(s)]);
  }
  from_.resize(size_t(kMaxSeats * stride_));
  ships_.resize(from_.size());
  angle_.resize(from_.size());
  for (int s = 0; s < seats; ++s)
    for (size_t k = 0; k < turn.moves[s].size(); ++k) {
      const size_t at = size_t(s * stride_) + k;
      from_[at] = turn.moves[s][k].from;
      ships_[at] = turn.moves[s][k].ships;
      angle_[at] = turn.moves[s][k].angle;
    }
}

int fleet_capacity(const Trace& trace) {
  size_t flying = trace.start.fleets.size(), most = flying;
  for (const TraceTurn& turn : trace.turns) {
    for (const auto& moves : turn.moves) flying += moves.size();
    most = std::max(most, flying);
    flying = turn.fleets.size();
  }
  return int(most + 16) / 16 * 16;
}

GameStorage start_of(const Trace& trace, int max_fleets) {
  return trace.scenario ? hand_made_game(trace, max_fleets) : generated_game(trace, max_fleets);
}

TraceResult check_trace(const Trace& trace, const PlayTurn& play_turn) {
  const int capacity = fleet_capacity(trace);
  const GameStorage storage = start_of(trace, capacity);
  const Rules rules{trace.seats, trace.episode_steps, capacity, trace.ship_speed};
  Game game = storage.view();
  StepScratch scratch;
  StateComparison comparison(trace);
  if (!trace.scenario) comparison.start(game);
  for (const TraceTurn& turn : trace.turns) {
    if (has_odd_angle(turn, trace.seats)) check_angles(trace, turn, game);
    const TurnMoves moves(turn, trace.seats);
    play_turn(game, rules, moves.view(), scratch);
    comparison.turn(game, turn);
  }
  return comparison.result();
}

}  // namespace orbit

#include "src/bench/recorded_play.h"
#include <ATen/ops/ones.h>
#include <ATen/ops/zeros.h>
#include <algorithm>
#include "src/common/error.h"
#include "src/parity/trace_check.h"
#include "src/parity/trace_file.h"

namespace orbit {
namespace {

struct Load {
  int players, fleets;
  std::vector<const char*> traces;
};
const Load kLoads[] = {
    {2, 0, {"noop-2p-0", "noop-2p-1"}},       {4, 0, {"noop-4p-big"}},
    {2, 11, {"comet-2p-a", "light-2p-b"}},    {4, 11, {"light-4p-a"}},
    {2, 100, {"greedy-2p-a", "greedy-2p-b"}}, {4, 100, {"greedy-4p-a", "greedy-4p-b"}},
    {2, 400, {"heavy-2p-d"}},                 {4, 400, {"heavy-4p-b"}},
};

std::vector<Trace> read_all(const std::vector<std::string>& files) {
  std::vector<Trace> traces;
  for (const std::string& file : files)
    for (Trace& trace : read_traces(file)) traces.push_back(std::move(trace));
  const Trace& first = traces.at(0);
  for (const Trace& t : traces) {
    if (t.scenario) throw UserError(t.file + ": " + t.name + ": a state made by hand is no load; name a recorded game");
    if (t.seats != first.seats || t.episode_steps != first.episode_steps || t.ship_speed != first.ship_speed)
      throw UserError(t.file + ": " + t.name + ": other players or rules than " + first.name + "; measure them apart");
  }
  return traces;
}

// Orders of all turns, a row each.
MoveTensors lay_out_moves(const std::vector<Trace>& traces, int64_t turns, int64_t seats) {
  size_t most = 1;
  for (const Trace& trace : traces)
    for (const TraceTurn& turn : trace.turns)
      for (const auto& moves : turn.moves) most = std::max(most, moves.size());
  const MoveTensors m = make_moves(turns, seats, int64_t(most), at::kCPU);
  auto count = m.count.accessor<int32_t, 2>();
  auto from = m.from.accessor<int32_t, 3>(), ships = m.ships.accessor<int32_t, 3>();
  auto angle = m.angle.accessor<double, 3>();
  int64_t row = 0;
  for (const Trace& trace : traces)
    for (const TraceTurn& turn : trace.turns) {
      for (int64_t seat = 0; seat < seats; ++seat) {
        const auto& moves = turn.moves[seat];
        count[row][seat] = int32_t(moves.size());
        for (size_t k = 0; k < moves.size(); ++k) {
          from[row][seat][int64_t(k)] = moves[k].from;
          ships[row][seat][int64_t(k)] = moves[k].ships;
          angle[row][seat][int64_t(k)] = moves[k].angle;
        }
      }
      ++row;
    }
  return m;
}

MoveTensors turn_of(const MoveTensors& m, int64_t row) {
  return {m.count.narrow(0, row, 1), m.from.narrow(0, row, 1), m.ships.narrow(0, row, 1), m.angle.narrow(0, row, 1)};
}

// Plays the games one after the other and notes the state before each turn.
void play_once(const std::vector<Trace>& traces, RecordedPlay& play, int64_t max_fleets) {
  const std::vector<at::Tensor> state = make_state(1, max_fleets, at::kCPU);
  const at::Tensor where = at::ones({1}, at::kBool);
  int64_t row = 0, fleets = 0;
  for (const Trace& trace : traces) {
    play.starts[row].fill_(true);
    ops::reset_(state, play.bank, where, play.board.narrow(0, row, 1), play.rules.seats);
    for (const TraceTurn& turn : trace.turns) {
      for (size_t i = 0; i < state.size(); ++i) play.before[i].narrow(0, row, 1).copy_(state[i]);
      ops::step_(state, play.bank, turn_of(play.moves, row), play.rules);
      const int64_t flying = int64_t(mean_fleets(state));
      if (flying != int64_t(turn.fleets.size()))
        throw std::logic_error(trace.file + ": " + trace.name + ": not the recorded game at t " + std::to_string(turn.t));
      fleets += flying;
      ++row;
    }
  }
  play.mean_fleets = double(fleets) / double(row);
}

}  // namespace

std::string recorded_play_folder() { return ORBIT_SOURCE_DIR "/tests/data/traces"; }

std::vector<std::string> recorded_play_files(const std::string& folder, int players, int fleets) {
  std::vector<std::string> files;
  for (const Load& load : kLoads)
    if (load.players == players && load.fleets == fleets)
      for (const char* name : load.traces) files.push_back(folder + "/" + name + ".jsonl.gz");
  if (files.empty())
    throw UserError("no recorded play for " + std::to_string(players) + " --players and " + std::to_string(fleets) +
                    " --fleets; there is 2 or 4, and 0, 11, 100 or 400");
  return files;
}

RecordedPlay load_recorded_play(const std::vector<std::string>& files) {
  const std::vector<Trace> traces = read_all(files);
  RecordedPlay play;
  play.rules = {traces[0].seats, traces[0].episode_steps, traces[0].ship_speed, Motion::kFast};
  play.games = int64_t(traces.size());
  play.bank = empty_board_bank(play.games, kBoardWaves);
  int64_t turns = 0, max_fleets = kDefaultMaxFleets;
  for (size_t i = 0; i < traces.size(); ++i) {
    write_board(make_board(Seed(traces[i].seed), traces[i].comet_speed), board_arrays(play.bank, int64_t(i)));
    turns += int64_t(traces[i].turns.size());
    max_fleets = std::max(max_fleets, int64_t(fleet_capacity(traces[i])));
  }
  play.moves = lay_out_moves(traces, turns, play.rules.seats);
  play.before = make_state(turns, max_fleets, at::kCPU);
  play.starts = at::zeros({turns}, at::kBool);
  play.board = at::zeros({turns}, at::kInt);
  int64_t row = 0;
  for (size_t i = 0; i < traces.size(); ++i) {
    play.board.narrow(0, row, int64_t(traces[i].turns.size())).fill_(int64_t(i));
    row += int64_t(traces[i].turns.size());
  }
  play_once(traces, play, max_fleets);
  return play;
}

}  // namespace orbit

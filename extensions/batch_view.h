// A batch of games as raw pointers: what CPU loops and CUDA kernels share. Torch-free. Row i of every array is environment i.
#pragma once
#include "envs/orbit_wars/move_row.h"
#include "envs/orbit_wars/state_check.h"

namespace orbit {

// Order of the tensors in the lists `state` and `bank` of the operators.
constexpr int kPlanetArrays = sizeof(kPlanetArrayNames) / sizeof(char*);
constexpr int kFleetArrays = sizeof(kFleetArrayNames) / sizeof(char*);
constexpr int kHistoryArrays = sizeof(kHistoryArrayNames) / sizeof(char*);
constexpr int kStateTensors = kPlanetArrays + kFleetArrays + kHistoryArrays + 1;  // the last is `scalars`
constexpr const char* kBankNames[] = {"omega",       "wave_step",    "wave_ships",        "path_length", "path_x",   "path_y",
                                      "planet_count", "home",        "planet_ships", "planet_production", "planet_x", "planet_y"};
constexpr int kBankTensors = sizeof(kBankNames) / sizeof(char*);

ORBIT_FN Board board_row(Board bank, int64_t row) {
  bank.omega += row;
  bank.wave_step += row * kMaxWaves;
  bank.wave_ships += row * kMaxWaves;
  bank.path_length += row * bank.path_rows;
  bank.path_x += row * bank.path_rows * kMaxPath;
  bank.path_y += row * bank.path_rows * kMaxPath;
  bank.planet_count += row;
  bank.home += row;
  bank.planet_ships += row * kMaxPlanets;
  bank.planet_production += row * kMaxPlanets;
  bank.planet_x += row * kMaxPlanets;
  bank.planet_y += row * kMaxPlanets;
  return bank;
}

struct BatchView {
  Planets planets;  // base pointers, as if of environment 0
  Fleets fleets;
  History history;
  Scalars* scalars;
  Board bank;
  Rules rules;
  int64_t count;      // environments
  int64_t bank_rows;  // boards

  // Of an environment that may be damaged: its faults must be none before it is played.
  ORBIT_FN Game game(int64_t env) const {
    const int64_t board = scalars[env].board;
    return game(env, board >= 0 && board < bank_rows ? board : 0);
  }
  // StateFault bits. g is game(env), which stays in registers: what hardly ever runs makes its own.
  template <class L>
  ORBIT_FN uint32_t faults(const L& lanes, int64_t env, const Game& g) const {
    const uint32_t bad = scalar_faults(*g.now, rules, bank_rows);
    return bad ? bad : may_have_faults(lanes, g) ? named_faults(lanes, env) : 0;
  }
  template <class L>
  ORBIT_COLD_FN uint32_t named_faults(const L& lanes, int64_t env) const { return game_faults(lanes, game(env)); }
  ORBIT_FN Game game(int64_t env, int64_t board) const {
    Game g{planets, fleets, history, scalars + env, board_row(bank, board)};
    const int64_t p = env * kMaxPlanets, f = env * rules.max_fleets;
    with_arrays(g.planets, [p](auto*&... a) { ((a += p), ...); });
    with_arrays(g.fleets, [f](auto*&... a) { ((a += f), ...); });
    g.history.snapshot_id += env * kSnapshots * kMaxPlanets;
    g.history.snapshot_owner += env * kSnapshots * kMaxPlanets;
    g.history.snapshot_ships += env * kSnapshots * kMaxPlanets;
    g.history.launch_step += env * kLaunchTurns;
    g.history.launch_count += env * kLaunchTurns * kMaxSeats;
    g.history.launch_ships += env * kLaunchTurns * kMaxSeats;
    return g;
  }

  // What a turn of this environment will read, as far as that is known beforehand: most boards have up to 32 planets, most games
  // up to 16 fleets in flight.
  ORBIT_FN void prefetch_game(int64_t env) const {
    constexpr int64_t kLikelyPlanets = 32, kLikelyFleets = 16;
    Planets p = planets;
    Fleets f = fleets;
    with_arrays(p, [&](auto*... a) { (prefetch(a + env * kMaxPlanets, kLikelyPlanets * int64_t(sizeof(*a))), ...); });
    with_arrays(f, [&](auto*... a) { (prefetch(a + env * rules.max_fleets, kLikelyFleets * int64_t(sizeof(*a))), ...); });
    prefetch(scalars + env, sizeof(Scalars));
  }
};

// Orders of a batch: count (N, seats), the rest (N, seats, stride).
struct MovesView {
  int32_t* count;
  int32_t* from;
  int32_t* ships;
  double* angle;
  int32_t seats, stride;

  ORBIT_FN Moves row(int64_t env) const {
    const int64_t r = env * seats, m = r * stride;
    return {count + r, from + m, ships + m, angle + m, stride};
  }
  ORBIT_FN MoveRow seat(int64_t env, int seat) const {
    const int64_t r = env * seats + seat, m = r * stride;
    return {count + r, from + m, ships + m, angle + m, stride};
  }
};

}  // namespace orbit

// What each operator does to one environment: run by a CPU loop with Serial and by a warp on a GPU, from this one source. Each body
// returns the StateFaults it found, and has then done nothing (but that a turn notes them in the scalars).
#pragma once
#include "envs/common/rng.h"
#include "envs/orbit_wars/aim_grid.h"
#include "envs/orbit_wars/decode.h"
#include "envs/orbit_wars/features.h"
#include "envs/orbit_wars/history.h"
#include "envs/orbit_wars/opponents.h"
#include "envs/orbit_wars/reset.h"
#include "envs/orbit_wars/scratch.h"
#include "envs/orbit_wars/standing.h"
#include "envs/orbit_wars/step.h"
#include "extensions/batch_view.h"

namespace orbit {

// The seats of each environment that an operator is about: (N, per_env). A number that is no seat asks for nothing: its row of
// the results stays as it is.
struct SeatsView {
  const int32_t* seat;
  int32_t per_env;
  ORBIT_FN int at(int64_t env, int k) const { return seat[env * per_env + k]; }
  ORBIT_FN bool asks(int64_t env, int k) const { return at(env, k) >= 0 && at(env, k) < kMaxSeats; }
  ORBIT_FN bool asks_any(int64_t env) const {
    for (int k = 0; k < per_env; ++k)
      if (asks(env, k)) return true;
    return false;
  }
};

struct ResetBody {
  BatchView batch;
  const bool* where;     // (N) environments to reset
  const int32_t* board;  // (N) row of the bank
  using Scratch = char;
  static constexpr int64_t kEnvironmentsPerTask = 512;  // nearly all of them play on
  template <class L>
  ORBIT_FN uint32_t operator()(const L& lanes, int64_t env, Scratch&) const {
    if (!where[env]) return 0;
    const int32_t row = board[env];
    if (row < 0 || row >= batch.bank_rows) return 1u << kFaultBoard;
    Game g = batch.game(env, row);
    const uint32_t faults = start_faults(g.board);
    if (faults == 0) reset_game(lanes, g, batch.rules, row);
    return faults;
  }
};

// A game that has ended stays as it is.
template <Motion M>
struct StepBody {
  BatchView batch;
  MovesView moves;
  using Scratch = StepScratch;
  ORBIT_FN void prefetch_inputs(int64_t env) const { batch.prefetch_game(env); }
  template <class L>
  ORBIT_FN uint32_t operator()(const L& lanes, int64_t env, Scratch& scratch) const {
    if (batch.scalars[env].terminated) return 0;
    Game g = batch.game(env);
    if (const uint32_t faults = batch.faults(lanes, env, g)) {
      lanes.once([&] { batch.scalars[env].fault = int32_t(faults); });
      return faults;
    }
    const Moves row = moves.row(env);
    push_history(lanes, g, batch.rules, row);
    advance<M>(lanes, g, batch.rules, row, scratch);
    return 0;
  }
};

struct ObserveBody {
  BatchView batch;
  SeatsView seats;
  FeatureOptions options;
  ObservationRow out;  // base pointers of (N, per_env, ...)
  using Scratch = FeatureScratch;
  template <class L>
  ORBIT_FN uint32_t operator()(const L& lanes, int64_t env, Scratch& scratch) const {
    if (!seats.asks_any(env)) return 0;
    const Game g = batch.game(env);
    if (const uint32_t faults = batch.faults(lanes, env, g)) return faults;
    prepare(lanes, g, options, scratch);
    for (int k = 0; k < seats.per_env; ++k) {
      const int64_t r = env * seats.per_env + k;
      if (!seats.asks(env, k)) continue;
      observe(lanes, g, seats.at(env, k), options, scratch,
              {out.planets + r * kFeatureSlots * kPlanetFeatures, out.globals + r * kGlobalFeatures, out.valid + r * kFeatureSlots,
               out.mine + r * kFeatureSlots});
    }
    return 0;
  }
};

struct AimBody {
  BatchView batch;
  AimGrid grid;  // base pointers of (N, A, B)
  using Scratch = AimScratch;
  template <class L>
  ORBIT_FN uint32_t operator()(const L& lanes, int64_t env, Scratch& scratch) const {
    AimGrid own = grid;
    const int64_t first = env * grid.sources * grid.targets;
    own.ships += first;
    own.ok += first;
    own.turns += first;
    own.angle += first;
    own.x += first;
    own.y += first;
    const Game g = batch.game(env);
    if (const uint32_t faults = batch.faults(lanes, env, g)) return faults;
    aim_pairs(lanes, g, own, scratch);
    return 0;
  }
};

struct DecodeBody {
  BatchView batch;
  SeatsView seats;
  const int32_t* target;  // (N, per_env, kFeatureSlots)
  const float* x;         // (N, per_env, kFeatureSlots)
  DecodeOptions options;
  MovesView moves;
  using Scratch = DecodeScratch;
  template <class L>
  ORBIT_FN uint32_t operator()(const L& lanes, int64_t env, Scratch& scratch) const {
    const Game g = batch.game(env);
    if (const uint32_t faults = batch.faults(lanes, env, g)) return faults;
    for (int k = 0; k < seats.per_env; ++k) {
      const int64_t r = (env * seats.per_env + k) * kFeatureSlots;
      const int seat = seats.at(env, k);
      if (seat >= 0 && seat < batch.rules.seats)
        decode(lanes, g, seat, target + r, x + r, options, scratch, moves.seat(env, seat));
    }
    return 0;
  }
};

enum class ScriptedOpponent : int32_t { kNoop, kRandom, kStarter };

struct ScriptedBody {
  BatchView batch;
  SeatsView seats;
  ScriptedOpponent kind;
  uint64_t seed;
  const int64_t* turn;  // () counts the turns of a run, so that random play differs from turn to turn
  MovesView moves;
  using Scratch = char;
  template <class L>
  ORBIT_FN uint32_t operator()(const L& lanes, int64_t env, Scratch&) const {
    const Game g = batch.game(env);
    if (const uint32_t faults = batch.faults(lanes, env, g)) return faults;
    for (int k = 0; k < seats.per_env; ++k) {
      const int seat = seats.at(env, k);
      if (seat < 0 || seat >= batch.rules.seats) continue;
      const MoveRow out = moves.seat(env, seat);
      switch (kind) {
        case ScriptedOpponent::kNoop: noop_moves(lanes, g, seat, out); break;
        case ScriptedOpponent::kRandom:
          random_moves(lanes, g, seat, out, OpponentDraws{seed, uint32_t(env * kMaxSeats + seat), uint32_t(*turn)});
          break;
        case ScriptedOpponent::kStarter: starter_moves(lanes, g, seat, out); break;
      }
    }
    return 0;
  }
};

struct StandingBody {
  BatchView batch;
  SeatsView seats;
  double* out;  // (N, per_env, kStandingColumns)
  using Scratch = char;
  static constexpr int64_t kEnvironmentsPerTask = 16;
  template <class L>
  ORBIT_FN uint32_t operator()(const L& lanes, int64_t env, Scratch&) const {
    const Game g = batch.game(env);
    if (const uint32_t faults = batch.faults(lanes, env, g)) return faults;
    for (int k = 0; k < seats.per_env; ++k) {
      if (!seats.asks(env, k)) continue;
      const Standing z = standing_of(lanes, g, seats.at(env, k));
      lanes.once([&] { reinterpret_cast<Standing*>(out)[env * seats.per_env + k] = z; });
    }
    return 0;
  }
};

// Reward of the step just made, for games that were running before it (active).
struct RewardBody {
  BatchView batch;
  SeatsView seats;
  Shaping shaping;
  const double* before;  // (N, per_env, kStandingColumns)
  const bool* active;    // (N)
  float* reward;         // (N, per_env)
  bool* terminated;      // (N, per_env)
  int32_t* outcome;      // (N, per_env) sign of the result where terminated
  using Scratch = char;
  static constexpr int64_t kEnvironmentsPerTask = 16;
  template <class L>
  ORBIT_FN uint32_t operator()(const L& lanes, int64_t env, Scratch&) const {
    const Game g = batch.game(env);
    if (const uint32_t faults = batch.faults(lanes, env, g)) return faults;
    const Scalars& now = *g.now;
    for (int k = 0; k < seats.per_env; ++k) {
      const int64_t r = env * seats.per_env + k;
      if (!seats.asks(env, k)) continue;
      const int seat = seats.at(env, k);
      const Standing after = standing_of(lanes, g, seat);
      lanes.once([&] {
        const Standing was = reinterpret_cast<const Standing*>(before)[r];
        const bool ended = active[env] && now.terminated;
        reward[r] = active[env] ? float(shaping_reward(shaping, was, after) +
                                        (ended ? terminal_reward(shaping, now, batch.rules.seats, seat) : 0.0))
                                : 0.0f;
        terminated[r] = ended;
        outcome[r] = ended ? result_sign(now, batch.rules.seats, seat) : 0;
      });
    }
    return 0;
  }
};

// Which board each environment that resets plays next: a draw named by (seed, environment, games it has begun).
struct DrawBoardsBody {
  const bool* where;
  uint64_t seed;
  int64_t bank_rows;
  int32_t* games;  // (N) begun so far
  int32_t* board;  // (N)
  ORBIT_FN void operator()(int64_t env) const {
    if (!where[env]) return;
    const Random4 u = draw4(seed, Stream::kBoard, uint32_t(env), uint32_t(games[env]), 0);
    board[env] = int32_t((uint64_t(u.v[0]) * uint64_t(bank_rows)) >> 32);
    games[env] = int32_t(uint32_t(games[env]) + 1);
  }
};

}  // namespace orbit

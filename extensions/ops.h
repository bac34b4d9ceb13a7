// Typed calls of the operators, for C++. Shapes: N environments, S seats of the game, R seats asked about, K orders a seat,
// P = kFeatureSlots. Every call goes through the dispatcher, so that observers and captured graphs see it.
#pragma once
#include <ATen/core/Tensor.h>
#include <optional>
#include <string>
#include <vector>
#include "extensions/game_batch.h"

namespace orbit {

struct MoveTensors {
  at::Tensor count;  // (N, S) int32
  at::Tensor from;   // (N, S, K) int32 planet ids
  at::Tensor ships;  // (N, S, K) int32
  at::Tensor angle;  // (N, S, K) float64
};
MoveTensors make_moves(int64_t environments, int64_t seats, int64_t orders, at::Device device);

// What the operators need of a game's rules.
struct GameRules {
  int64_t seats = 2;
  int64_t episode_steps = kDefaultEpisodeSteps;
  double ship_speed = kDefaultShipSpeed;
  Motion motion = Motion::kFast;
};

struct ObservationTensors {
  at::Tensor planets;  // (N, R, P, kPlanetFeatures) float32
  at::Tensor globals;  // (N, R, kGlobalFeatures) float32
  at::Tensor valid;    // (N, R, P) bool
  at::Tensor mine;     // (N, R, P) bool
};

// Of every pair (source slot, target slot), A sources and B targets, each at most kMaxPlanets.
struct AimTensors {
  at::Tensor ok;     // (N, A, B) bool: there is an aim; the others are 0 where it is false
  at::Tensor turns;  // (N, A, B) int32 flight time
  at::Tensor angle;  // (N, A, B) float64 radians
  at::Tensor x, y;   // (N, A, B) float64 meeting point
};

struct DecodeRules {
  bool strict = false, bearing_aim = false, self_target_bearing = false;
};

struct ShapingWeights {
  int64_t mode = 0;  // ShapingMode
  double coef_ship = 0, coef_planet = 0, dense_coef_ship = 0, dense_coef_planet = 0, clip = 0, time_penalty = 0, time_bonus = 0;
  int64_t horizon = kDefaultEpisodeSteps;
};

// Ends of episodes of N environments with R agents each; see episodes.h for what each tensor means.
struct EpisodeTensors {
  at::Tensor length;        // (N) int32, of the running episode
  at::Tensor ret;           // (N, R) float32
  at::Tensor truncated;     // (N, R) bool, of the last step
  at::Tensor finished;      // (N) bool
  at::Tensor final_length;  // (N) int32, of the last episode that ended
  at::Tensor final_return;  // (N, R) float32
  at::Tensor totals;        // (N, R, kEpisodeTotals) float64
};
EpisodeTensors make_episodes(int64_t environments, int64_t agents, at::Device device);

namespace ops {

// Board of the next game of each environment in `where`; games counts them.
void draw_boards_(const at::Tensor& where, uint64_t seed, int64_t bank_rows, const at::Tensor& games, const at::Tensor& board);
void reset_(at::TensorList state, at::TensorList bank, const at::Tensor& where, const at::Tensor& board, int64_t seats);
void step_(at::TensorList state, at::TensorList bank, const MoveTensors& moves, const GameRules& rules);
void observe_(at::TensorList state, at::TensorList bank, const at::Tensor& seats, int64_t history, const ObservationTensors& out);
// ships (N, A, B) int32: sent from source a to target b; not asked where <= 0, where a == b, or where a slot is empty.
void aim_(at::TensorList state, at::TensorList bank, const at::Tensor& ships, const AimTensors& out);
void decode_(at::TensorList state, at::TensorList bank, const at::Tensor& seats, const at::Tensor& target, const at::Tensor& x,
             const DecodeRules& rules, const MoveTensors& moves);
// opponent: 0 noop, 1 random, 2 starter.
void scripted_moves_(at::TensorList state, at::TensorList bank, const at::Tensor& seats, int64_t opponent, uint64_t seed,
                     const at::Tensor& turn, const MoveTensors& moves);
void standing_(at::TensorList state, at::TensorList bank, const at::Tensor& seats, const at::Tensor& standing);
void reward_(at::TensorList state, at::TensorList bank, const at::Tensor& seats, int64_t game_seats, const at::Tensor& before,
             const at::Tensor& active, const ShapingWeights& shaping, const at::Tensor& reward, const at::Tensor& terminated,
             const at::Tensor& outcome);
// outcome: (N, R) int32, or none. time_limit: steps, 0 for never.
void track_episodes_(const at::Tensor& reward, const at::Tensor& terminated, const at::Tensor& active,
                     const std::optional<at::Tensor>& outcome, int64_t time_limit, const EpisodeTensors& episodes);
// A uniform and a standard normal number, (B, K) float64, for each head of the agents (B) int64 at a step () int64.
void action_draws_(uint64_t seed, int64_t stream, const at::Tensor& agent, const at::Tensor& step, const at::Tensor& uniform,
                   const at::Tensor& normal);
void gae_(const at::Tensor& reward, const at::Tensor& value, const at::Tensor& final_value, const at::Tensor& terminated,
          const at::Tensor& truncated, double gamma, double lambda, const at::Tensor& advantage, const at::Tensor& ret);

// Small environments; see registration.cpp.
void env_reset_(const std::string& env, at::TensorList batch, uint64_t seed, int64_t first = 0,
                const std::optional<at::Tensor>& given = {});
void env_step_(const std::string& env, at::TensorList batch, const at::Tensor& action, uint64_t seed, int64_t first = 0,
               int64_t time_limit = -1, const std::optional<at::Tensor>& given = {});
void env_observe_(const std::string& env, at::TensorList batch);

}  // namespace ops
}  // namespace orbit

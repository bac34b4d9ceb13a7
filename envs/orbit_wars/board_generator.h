// The board of a seed: planets, rotation, home, and all comet waves (rules, sections 4 and 7). The number of players changes
// only whose the home planets are.
#pragma once
#include "envs/orbit_wars/limits.h"
#include "envs/orbit_wars/seed.h"
#include "envs/orbit_wars/wave_generator.h"

namespace orbit {

struct BoardData {
  double omega;      // radians per turn
  int planet_count;  // groups of four, symmetric
  int home;          // first slot of the home group
  double x[kMaxPlanets], y[kMaxPlanets];  // at angle 0
  int32_t ships[kMaxPlanets];             // as generated; a reset gives the owners' planets kHomeShips
  int32_t production[kMaxPlanets];
  Wave waves[kBoardWaves];  // by kWaveSteps
};

// Throws std::runtime_error where the seed gives more planets than a state holds (none of 6,765 looked at does).
BoardData make_board(const Seed& seed, double comet_speed = kDefaultCometSpeed, Method method = Method::kFast);

}  // namespace orbit

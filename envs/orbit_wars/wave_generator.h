// The comet wave that a tick spawns, from the episode's seed and the planets (rules, section 7).
#pragma once
#include <vector>
#include "envs/orbit_wars/limits.h"
#include "envs/orbit_wars/seed.h"

namespace orbit {

// Both ways give the same bits. kWordForWord says what the official code says, line by line, and takes 50 times as long; the
// tests hold kFast against it, and kFast goes its way wherever rounding could decide.
enum class Method { kFast, kWordForWord };

struct Wave {
  int32_t step;                     // the tick that leads to this state spawns it
  int32_t length;                   // points of the path; 0: no wave, the generator gave up
  int32_t ships;                    // garrison of each of its comets
  int32_t tries;                    // ellipses drawn
  double x[kMaxPath], y[kMaxPath];  // member q moves along symmetric(x, y, q)
};

// A planet as far as comets care: its place at angle 0, and its size.
struct Obstacle {
  double x, y, radius;
};

// obstacles: the planets of initial_planets without the comets among them, in any number and order. Where they are not groups
// of four symmetric ones, as in states made by hand, they are compared one by one.
Wave make_wave(const std::vector<Obstacle>& obstacles, double omega, const Seed& seed, int step, double comet_speed,
               Method method = Method::kFast);

}  // namespace orbit

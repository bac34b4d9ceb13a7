#include "envs/orbit_wars/wave_generator.h"
#include <algorithm>
#include "envs/orbit_wars/comet_obstacles.h"
#include "envs/orbit_wars/comet_path.h"
#include "envs/orbit_wars/distance.h"

namespace orbit {
namespace {

constexpr double kPi = 3.141592653589793;
constexpr int kMaxTries = 300;

using PathFunction = int (*)(const Ellipse&, double comet_speed, double* x, double* y);

// A refused ellipse costs the same draws whatever it is refused for, so the order of the tests is free.
template <class Obstacles>
Wave draw_wave(PathFunction comet_path, Obstacles obstacles, const Seed& seed, int step, double comet_speed) {
  Wave wave{step, 0, 0, 0, {}, {}};
  PythonRandom random(seed.wave_key(step));
  while (wave.tries < kMaxTries) {
    ++wave.tries;
    const double e = random.uniform(0.75, 0.93), a = random.uniform(60, 150);
    if (a * (1 - e) < kSunRadius + kCometRadius) continue;
    const double phi = random.uniform(kPi / 6, kPi / 3);
    const Ellipse ellipse{a, a * sqrt(1 - square(e)), a * e, cos(phi), sin(phi)};
    const int length = comet_path(ellipse, comet_speed, wave.x, wave.y);
    if (length == 0 || !obstacles.clear(wave.x, wave.y, length)) continue;
    wave.length = length;
    wave.ships = random.randint(1, 99);
    for (int i = 1; i < kWaveMembers; ++i) wave.ships = std::min(wave.ships, random.randint(1, 99));
    break;
  }
  std::fill(wave.x + wave.length, wave.x + kMaxPath, 0.0);
  std::fill(wave.y + wave.length, wave.y + kMaxPath, 0.0);
  return wave;
}

}  // namespace

Wave make_wave(const std::vector<Obstacle>& obstacles, double omega, const Seed& seed, int step, double comet_speed,
               Method method) {
  if (method == Method::kFast && ObstaclesFast::symmetric_groups(obstacles))
    return draw_wave(comet_path_fast, ObstaclesFast(obstacles, omega, step), seed, step, comet_speed);
  const PathFunction comet_path = method == Method::kFast ? comet_path_fast : comet_path_word_for_word;
  return draw_wave(comet_path, ObstaclesWordForWord(obstacles, omega, step), seed, step, comet_speed);
}

}  // namespace orbit

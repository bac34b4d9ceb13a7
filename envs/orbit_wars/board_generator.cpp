#include "envs/orbit_wars/board_generator.h"
#include <stdexcept>
#include "envs/orbit_wars/planet_spacing.h"

namespace orbit {
namespace {

constexpr double kPi = 3.141592653589793;
constexpr int kMinGroups = 5, kMaxGroups = 10, kStaticGroups = 3;
constexpr int kMaxTries = 5000;
constexpr double kAxisClearance = 5.0;  // between a rim and the two axes of symmetry
constexpr double kFillStart = 15.0, kEdgeClearance = 5.0;

bool leaves_board(const Body& b) {
  return b.x + b.radius > kBoardSize || b.x - b.radius < 0 || b.y + b.radius > kBoardSize || b.y - b.radius < 0;
}

template <class Spacing>
class Builder {
 public:
  Builder(const Seed& seed, BoardData& board) : seed_(seed), random_(seed.board_key()), board_(board) {}

  void build() {
    board_.omega = random_.uniform(0.025, 0.05);
    const int groups = random_.randint(kMinGroups, kMaxGroups);
    place_static();
    fill(groups);
    const int placed = board_.planet_count / kGroup;
    board_.home = placed > 0 ? kGroup * random_.randint(0, placed - 1) : 0;
  }

 private:
  // Polar draws in a quarter of the ring outside the rotating planets.
  void place_static() {
    for (int t = 0; t < kMaxTries && board_.planet_count < kGroup * kStaticGroups; ++t) {
      const int production = random_.randint(1, 5);
      const double radius = planet_radius(production), angle = random_.uniform(0, kPi / 2);
      const double nearest = kRotationLimit - radius;
      const double farthest = (kBoardSize - kCentre - radius) / larger(cos(angle), sin(angle));
      if (nearest > farthest) continue;
      const double orbit = random_.uniform(nearest, farthest);
      const Body b{kCentre + orbit * cos(angle), kCentre + orbit * sin(angle), radius};
      if (leaves_board(b)) continue;
      if (b.x - kCentre < radius + kAxisClearance || b.y - kCentre < radius + kAxisClearance) continue;
      const int first = random_.randint(5, 99), second = random_.randint(5, 99);
      if (!Spacing::clashes(b, placed_, board_.planet_count, false)) place(b, smaller(first, second), production);
    }
  }

  // Until there are enough groups and one that rotates, or no more tries; more or fewer than the wanted number can come of it.
  void fill(int groups) {
    bool rotating = false;
    for (int t = 1; t < kMaxTries && (board_.planet_count < kGroup * groups || !rotating); ++t) {
      const int production = random_.randint(1, 5);
      const double radius = planet_radius(production), lo = kCentre + kFillStart, hi = kBoardSize - radius - kEdgeClearance;
      const double x = random_.uniform(lo, hi), y = random_.uniform(lo, hi);
      const Body b{x, y, radius};
      const double orbit = Spacing::orbit(b);
      if (orbit < sun_limit(b)) continue;
      const bool rotates = orbit + radius < kRotationLimit;
      if (!rotates && leaves_board(b)) continue;
      const int ships = random_.randint(5, 30);
      if (Spacing::clashes(b, placed_, board_.planet_count, true)) continue;
      place(b, ships, production);
      rotating |= rotates;
    }
  }

  void place(const Body& b, int ships, int production) {
    int& count = board_.planet_count;
    if (count + kGroup > kMaxPlanets - kWaveMembers)
      throw std::runtime_error("the board of seed " + seed_.text() + " has more than " +
                               std::to_string(kMaxPlanets - kWaveMembers) + " planets; choose another seed");
    for (int j = 0; j < kGroup; ++j, ++count) {
      placed_[count] = image(b, j);
      board_.x[count] = placed_[count].x;
      board_.y[count] = placed_[count].y;
      board_.ships[count] = ships;
      board_.production[count] = production;
    }
  }

  const Seed& seed_;
  PythonRandom random_;
  BoardData& board_;
  Body placed_[kMaxPlanets];
};

}  // namespace

BoardData make_board(const Seed& seed, double comet_speed, Method method) {
  BoardData board{};
  if (method == Method::kFast)
    Builder<SpacingFast>(seed, board).build();
  else
    Builder<SpacingWordForWord>(seed, board).build();
  std::vector<Obstacle> obstacles;
  for (int i = 0; i < board.planet_count; ++i)
    obstacles.push_back({board.x[i], board.y[i], planet_radius(board.production[i])});
  for (int w = 0; w < kBoardWaves; ++w)
    board.waves[w] = make_wave(obstacles, board.omega, seed, kWaveSteps[w], comet_speed, method);
  return board;
}

}  // namespace orbit

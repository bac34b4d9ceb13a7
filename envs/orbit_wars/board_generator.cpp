#include "envs/orbit_wars/board_generator.h"
#include <stdexcept>
#include "envs/orbit_wars/geometry.h"
#include "envs/orbit_wars/state.h"

namespace orbit {
namespace {

constexpr double kPi = 3.141592653589793;
constexpr int kGroup = 4;
constexpr int kMinGroups = 5, kMaxGroups = 10, kStaticGroups = 3;
constexpr int kMaxTries = 5000;
constexpr double kClearance = 7.0;      // between the rims of two planets
constexpr double kAxisClearance = 5.0;  // between a rim and the two axes of symmetry
constexpr double kSunClearance = 10.0;  // between a rim and the sun
constexpr double kFillStart = 15.0, kEdgeClearance = 5.0;

struct Body {
  double x, y, radius;
};

Body image(const Body& b, int member) {
  const Point p = symmetric(b.x, b.y, member);
  return {p.x, p.y, b.radius};
}
bool leaves_board(const Body& b) {
  return b.x + b.radius > kBoardSize || b.x - b.radius < 0 || b.y + b.radius > kBoardSize || b.y - b.radius < 0;
}

// Whether a new group of four (b and its images) is too close to those already placed. The fill phase, which may place
// rotating planets, also asks whether a rotating one passes a fixed one (rings).
struct WordForWord {
  static double orbit(const Body& b) { return distance(b.x, b.y, kCentre, kCentre); }
  static bool clashes(const Body& b, const Body* placed, int count, bool rings) {
    for (int j = 0; j < kGroup; ++j) {
      const Body mine = image(b, j);
      const double my_orbit = orbit(mine);
      for (int i = 0; i < count; ++i) {
        const Body& other = placed[i];
        const double reach = other.radius + mine.radius + kClearance;
        if (distance(other.x, other.y, mine.x, mine.y) < reach) return true;
        if (!rings) continue;
        const double its_orbit = orbit(other);
        const bool i_rotate = my_orbit + mine.radius < kRotationLimit, it_rotates = its_orbit + other.radius < kRotationLimit;
        if (i_rotate != it_rotates && fabs(my_orbit - its_orbit) < reach) return true;
      }
    }
    return false;
  }
};

// The same with plain products, and one image for all four: the placed groups have the same symmetry. Where a comparison is
// closer than rounding could matter, the words decide.
struct Fast {
  static constexpr double kMargin = 1e-9;          // of distances
  static constexpr double kSquaredMargin = 1e-7;   // of their squares

  static double plain_orbit(const Body& b) {
    const double dx = b.x - kCentre, dy = b.y - kCentre;
    return sqrt(dx * dx + dy * dy);
  }
  // The two limits it is compared with: the sun's, and the one between rotating and fixed.
  static double orbit(const Body& b) {
    const double d = plain_orbit(b);
    const bool unsure = fabs(d - (kSunRadius + b.radius + kSunClearance)) < kMargin || fabs(d + b.radius - kRotationLimit) < kMargin;
    return unsure ? WordForWord::orbit(b) : d;
  }
  static bool clashes(const Body& b, const Body* placed, int count, bool rings) {
    const Body mine = image(b, 0);
    const double my_orbit = plain_orbit(mine), my_edge = my_orbit + mine.radius - kRotationLimit;
    bool hit = false, unsure = fabs(my_edge) < kMargin;
    for (int g = 0; g < count; g += kGroup) {
      const double reach = placed[g].radius + mine.radius + kClearance;
      for (int j = 0; j < kGroup; ++j) {
        const double dx = placed[g + j].x - mine.x, dy = placed[g + j].y - mine.y, gap = dx * dx + dy * dy - reach * reach;
        hit |= gap < -kSquaredMargin;
        unsure |= fabs(gap) <= kSquaredMargin;
      }
      if (rings) {
        const double its_orbit = plain_orbit(placed[g]), its_edge = its_orbit + placed[g].radius - kRotationLimit;
        const double gap = fabs(my_orbit - its_orbit) - reach;
        unsure |= fabs(gap) < kMargin || fabs(its_edge) < kMargin;
        hit |= (my_edge < 0) != (its_edge < 0) && gap < -kMargin;
      }
      if (unsure) return WordForWord::clashes(b, placed, count, rings);
      if (hit) return true;
    }
    return false;
  }
};

template <class Test>
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
      if (!Test::clashes(b, placed_, board_.planet_count, false)) place(b, smaller(first, second), production);
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
      const double orbit = Test::orbit(b);
      if (orbit < kSunRadius + radius + kSunClearance) continue;
      const bool rotates = orbit + radius < kRotationLimit;
      if (!rotates && leaves_board(b)) continue;
      const int ships = random_.randint(5, 30);
      if (Test::clashes(b, placed_, board_.planet_count, true)) continue;
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
    Builder<Fast>(seed, board).build();
  else
    Builder<WordForWord>(seed, board).build();
  std::vector<Obstacle> obstacles;
  for (int i = 0; i < board.planet_count; ++i) obstacles.push_back({board.x[i], board.y[i], planet_radius(board.production[i])});
  for (int w = 0; w < kBoardWaves; ++w)
    board.waves[w] = make_wave(obstacles, board.omega, seed, kWaveSteps[w], comet_speed, method);
  return board;
}

}  // namespace orbit

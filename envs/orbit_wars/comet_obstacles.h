// Whether a comet wave keeps clear of the sun and of every planet, wherever these are on its way.
#pragma once
#include <vector>
#include "envs/orbit_wars/wave_generator.h"

namespace orbit {

// Word for word: every planet against all four comets, at every point of the path.
class ObstaclesWordForWord {
 public:
  ObstaclesWordForWord(const std::vector<Obstacle>& obstacles, double omega, int step)
      : obstacles_(obstacles), omega_(omega), step_(step) {}

  bool clear(const double* x, const double* y, int length) const;
  // Whether a comet at the k-th point of the path (x, y), or one of its three images, touches planet i.
  bool touches(int i, int k, double x, double y) const;

 private:
  const std::vector<Obstacle>& obstacles_;
  double omega_;
  int step_;
};

// The planets of a group are images of each other under the symmetries that make the four comets: one of them against all
// four stands for the group. Squared distances decide, except where rounding could: there the word-for-word test does.
class ObstaclesFast {
 public:
  // symmetric_groups(obstacles) must hold.
  ObstaclesFast(const std::vector<Obstacle>& obstacles, double omega, int step);
  static bool symmetric_groups(const std::vector<Obstacle>& obstacles);

  bool clear(const double* x, const double* y, int length);

 private:
  struct Group {
    double x, y, orbit, phase, reach;  // of its first planet; reach: the comets must not come closer
    bool rotates;
    double path_x[kMaxPath], path_y[kMaxPath];  // where it is at each point of the comets' path
  };
  void locate(int length);
  bool touches(int group, const double* x, const double* y, int length) const;

  ObstaclesWordForWord exact_;
  double omega_;
  int step_;
  int located_ = 0;  // points for which path_x and path_y are known
  std::vector<Group> groups_;
};

}  // namespace orbit

// The path of a comet: an ellipse about the sun, sampled densely, thinned to equal steps, cut to the board.
#pragma once
#include "envs/orbit_wars/limits.h"

namespace orbit {

struct Ellipse {
  double a, b, c;           // half axes, and distance of the centre from the focus that is the sun
  double cos_phi, sin_phi;  // direction of the nearest point to the sun
};

// Writes the points on the board to x, y (kMaxPath) and returns their number, 0 where it is not 5 to kMaxPath.
int comet_path_word_for_word(const Ellipse& ellipse, double comet_speed, double* x, double* y);
int comet_path_fast(const Ellipse& ellipse, double comet_speed, double* x, double* y);

}  // namespace orbit

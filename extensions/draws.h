// Random numbers for the actions of a batch of agents. Torch-free.
#pragma once
#include <cmath>
#include "envs/common/rng.h"

namespace orbit {

// One uniform and one standard normal number: the action of a head.
struct ActionDraw {
  double uniform;  // [0, 1) in 53 bits
  double normal;   // Box and Muller
};

ORBIT_FN ActionDraw draw_action(uint64_t seed, Stream stream, uint32_t agent, uint32_t step, uint32_t index) {
  const Random4 u = draw4(seed, stream, agent, step, index);
  const double radius = sqrt(-2.0 * log(double(unit_float_positive(u.v[2]))));
  return {unit_double(u.v[0], u.v[1]), radius * cos(2.0 * 3.14159265358979323846 * double(unit_float(u.v[3])))};
}

struct DrawsView {
  uint64_t seed;
  Stream stream;
  const int64_t* agent;  // (B)
  const int64_t* step;   // ()
  int64_t heads;         // K
  double* uniform;       // (B, K)
  double* normal;        // (B, K)
};

// Entry i = agent * K + head.
ORBIT_FN void fill_draw(const DrawsView& d, int64_t i) {
  const ActionDraw a = draw_action(d.seed, d.stream, uint32_t(d.agent[i / d.heads]), uint32_t(*d.step), uint32_t(i % d.heads));
  d.uniform[i] = a.uniform;
  d.normal[i] = a.normal;
}

}  // namespace orbit

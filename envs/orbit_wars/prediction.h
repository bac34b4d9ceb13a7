// Where a planet will be, as aiming predicts it: from its present angle on its first orbit; a comet from its path.
#pragma once
#include "envs/orbit_wars/state.h"

namespace orbit {

// Prediction of one planet, made once and asked for many turns.
struct Course {
  int32_t kind;
  double x, y;            // now
  double orbit, ux, uy;   // orbiting: radius, direction from the centre
  double omega;
  int32_t path, at, end;  // comet: row of its path, its index now, points of the path
};

// Cosine and sine of the angle by which a board turns in a number of turns.
struct Rotation {
  double omega;
  ORBIT_FN Point operator()(int turns) const { return {cosine(omega * turns), sine(omega * turns)}; }

  // Turn after turn: one rotation more each time.
  struct Walk {
    Point one, now, next;
    ORBIT_FN void advance() {
      now = next;
      next = {now.x * one.x - now.y * one.y, now.x * one.y + now.y * one.x};
    }
  };
  ORBIT_FN Walk from(int turns) const {
    Walk w{(*this)(1), {}, (*this)(turns)};
    w.advance();
    return w;
  }
};

ORBIT_FN Course course_of(const Game& g, int slot) {
  const Planets& p = g.planets;
  Course c{p.kind[slot], p.x[slot], p.y[slot], 0, 1, 0, *g.board.omega, 0, 0, 0};
  if (c.kind == kOrbiting) {
    const double dx = c.x - kCentre, dy = c.y - kCentre, r = sqrt(dx * dx + dy * dy);
    c.orbit = p.orbit[slot];
    if (r > 0) {
      c.ux = dx / r;
      c.uy = dy / r;
    }
  }
  if (c.kind == kComet) {
    c.path = p.path[slot];
    c.at = g.now->wave_index[c.path >> 2];
    c.end = path_length(g.board, c.path);
  }
  return c;
}

// cs, sn: cosine and sine of what the board turns meanwhile. False: no position, the comet is off its path then (a listed
// comet without a group always is).
ORBIT_FN bool position_after(const Game& g, const Course& c, int turns, double cs, double sn, Point& to) {
  if (c.kind == kComet) {
    const int k = c.at + turns;
    if (k < 0 || k >= c.end) return false;
    to = path_point(g.board, c.path, k);
    return true;
  }
  to = {c.x, c.y};
  if (c.kind == kOrbiting) to = {kCentre + c.orbit * (c.ux * cs - c.uy * sn), kCentre + c.orbit * (c.ux * sn + c.uy * cs)};
  return c.kind != kInert;
}
// rotation(turns): cosine and sine of what the board turns in that time.
template <class R>
ORBIT_FN bool position_after(const Game& g, const Course& c, int turns, const R& rotation, Point& to) {
  const Point r = c.kind == kOrbiting ? rotation(turns) : Point{1, 0};
  return position_after(g, c, turns, r.x, r.y, to);
}
ORBIT_FN bool position_after(const Game& g, const Course& c, int turns, Point& to) {
  return position_after(g, c, turns, Rotation{c.omega}, to);
}

}  // namespace orbit

#include "envs/orbit_wars/comet_path.h"
#include <vector>
#include "envs/orbit_wars/geometry.h"
#include "envs/orbit_wars/state.h"

namespace orbit {
namespace {

constexpr double kPi = 3.141592653589793;
constexpr int kSamples = 5000;   // points of the dense curve
constexpr int kMinPath = 5;      // shorter paths are refused, as those longer than kMaxPath are
constexpr int kBlock = 8;        // samples whose steps are summed together
constexpr int kBlocks = kSamples / kBlock;
constexpr int kFarPoint = -1;    // stands for the index of a thinned point that is surely off the board
constexpr double kFar = 2.0;     // a block whose first sample is this far off the board has no point on it
// A step of the curve is at most 1.4 pi * 150 / 4999 = 0.132, so a block of eight is shorter than this, and passes at most one
// multiple of a comet speed above it.
constexpr double kMinFastSpeed = 2.0;
// Arc length, as the rules sum it and as step_lengths does, is within 1e-9 of the true one.
constexpr double kArcMargin = 2e-9;

bool far_off_board(Point p) {
  return p.x < -kFar || p.x > kBoardSize + kFar || p.y < -kFar || p.y > kBoardSize + kFar;
}

Point point_at(const Ellipse& e, double cos_t, double sin_t) {
  const double ex = e.c + e.a * cos_t, ey = e.b * sin_t;
  return {kCentre + ex * e.cos_phi - ey * e.sin_phi, kCentre + ex * e.sin_phi + ey * e.cos_phi};
}

// What all ellipses share: cosine and sine of the parameter of each sample, and the squares of their differences.
struct Samples {
  double cosine[kSamples], sine[kSamples];
  alignas(64) double cosine_step2[kSamples], sine_step2[kSamples];  // from the sample before; 0 for the first

  Samples() {
    for (int i = 0; i < kSamples; ++i) {
      const double t = 0.3 * kPi + 1.4 * kPi * i / (kSamples - 1);
      cosine[i] = cos(t);
      sine[i] = sin(t);
    }
    cosine_step2[0] = sine_step2[0] = 0;
    for (int i = 1; i < kSamples; ++i) {
      const double dc = cosine[i] - cosine[i - 1], ds = sine[i] - sine[i - 1];
      cosine_step2[i] = dc * dc;
      sine_step2[i] = ds * ds;
    }
  }
  static const Samples& get() {
    static const Samples samples;
    return samples;
  }
};

Point sample(const Ellipse& e, int i) {
  const Samples& s = Samples::get();
  return point_at(e, s.cosine[i], s.sine[i]);
}

// Arc length does not depend on phi. step (kSamples), total (kBlocks).
void step_lengths(const Ellipse& e, double* step, double* total) {
  const Samples& s = Samples::get();
  const double a2 = e.a * e.a, b2 = e.b * e.b;
  for (int i = 0; i < kSamples; ++i) step[i] = sqrt(a2 * s.cosine_step2[i] + b2 * s.sine_step2[i]);
  for (int q = 0; q < kBlocks; ++q) {
    const double* d = step + q * kBlock;
    total[q] = ((d[0] + d[4]) + (d[2] + d[6])) + ((d[1] + d[5]) + (d[3] + d[7]));
  }
}

// The sample of a block where the arc, sum at its start, reaches the target; -1 where rounding would decide.
int crossing(const double* step, int block, double sum, double target) {
  for (int i = block * kBlock; i < (block + 1) * kBlock; ++i) {
    sum += step[i];
    if (fabs(sum - target) < kArcMargin) return -1;
    if (sum >= target) return i;
  }
  return -1;  // the two orders of summation disagree about the block
}

// Indices of the thinned points, kFarPoint for those surely off the board. False where rounding would decide one.
bool thin_fast(const Ellipse& e, double comet_speed, std::vector<int>& index) {
  alignas(64) double step[kSamples], total[kBlocks];
  step_lengths(e, step, total);
  index.assign(1, 0);
  double arc = 0, target = comet_speed;
  for (int q = 0; q < kBlocks; ++q) {
    const double next = arc + total[q];
    if (next > target - kArcMargin) {
      const bool far = far_off_board(sample(e, q * kBlock));
      const int i = !far ? crossing(step, q, arc, target) : next < target + kArcMargin ? -1 : q * kBlock;
      if (i < 0) return false;
      index.push_back(far ? kFarPoint : i);
      target += comet_speed;
    }
    arc = next;
  }
  return true;
}

// The rules' own sum, from tabulated samples.
void thin_exactly(const Ellipse& e, double comet_speed, std::vector<int>& index) {
  index.assign(1, 0);
  double arc = 0, target = comet_speed;
  Point before = sample(e, 0);
  for (int i = 1; i < kSamples; ++i) {
    const Point p = sample(e, i);
    arc += distance(p.x, p.y, before.x, before.y);
    if (arc >= target) {
      index.push_back(i);
      target += comet_speed;
    }
    before = p;
  }
}

// The part of a path from its first to its last point on the board; length 0 where there is none or it has not the right size.
struct Stretch {
  int first, length;
};
template <class OnBoard>
Stretch stretch_on_board(int points, OnBoard on_board_at) {
  int first = -1, last = -1;
  for (int i = 0; i < points; ++i) {
    if (!on_board_at(i)) continue;
    if (first < 0) first = i;
    last = i;
  }
  const int length = last - first + 1;
  return first >= 0 && length >= kMinPath && length <= kMaxPath ? Stretch{first, length} : Stretch{0, 0};
}

}  // namespace

int comet_path_word_for_word(const Ellipse& e, double comet_speed, double* x, double* y) {
  std::vector<Point> dense(kSamples);
  for (int i = 0; i < kSamples; ++i) {
    const double t = 0.3 * kPi + 1.4 * kPi * i / (kSamples - 1);
    dense[i] = point_at(e, cos(t), sin(t));
  }
  std::vector<Point> path{dense[0]};
  double arc = 0, target = comet_speed;
  for (int i = 1; i < kSamples; ++i) {
    arc += distance(dense[i].x, dense[i].y, dense[i - 1].x, dense[i - 1].y);
    if (arc < target) continue;
    path.push_back(dense[i]);
    target += comet_speed;
  }
  const Stretch kept = stretch_on_board(int(path.size()), [&](int i) { return on_board(path[i].x, path[i].y); });
  for (int k = 0; k < kept.length; ++k) {
    x[k] = path[kept.first + k].x;
    y[k] = path[kept.first + k].y;
  }
  return kept.length;
}

int comet_path_fast(const Ellipse& e, double comet_speed, double* x, double* y) {
  thread_local std::vector<int> index;
  if (comet_speed <= kMinFastSpeed || !thin_fast(e, comet_speed, index)) thin_exactly(e, comet_speed, index);
  const auto on_board_at = [&](int i) {
    if (index[i] == kFarPoint) return false;
    const Point p = sample(e, index[i]);
    return on_board(p.x, p.y);
  };
  const Stretch kept = stretch_on_board(int(index.size()), on_board_at);
  for (int k = 0; k < kept.length; ++k)
    if (index[kept.first + k] == kFarPoint) {  // the path leaves the board and comes back: its points there are needed too
      thin_exactly(e, comet_speed, index);
      break;
    }
  for (int k = 0; k < kept.length; ++k) {
    const Point p = sample(e, index[kept.first + k]);
    x[k] = p.x;
    y[k] = p.y;
  }
  return kept.length;
}

}  // namespace orbit

#include "envs/orbit_wars/comet_path.h"
#include <vector>
#include "envs/orbit_wars/geometry.h"
#include "envs/orbit_wars/state.h"

namespace orbit {
namespace {

constexpr double kPi = 3.141592653589793;
constexpr int kSamples = 5000;   // points of the dense curve
constexpr int kMinPath = 5;      // shorter paths are refused, as those longer than kMaxPath are
constexpr int kSpan = 40;        // samples whose steps are summed without looking at each: 4 square roots instead of 40
constexpr int kSpans = kSamples / kSpan;
constexpr int kBlock = 8;        // of a span that is looked into, samples whose steps are summed together
static_assert(kSamples % kSpan == 0 && kSpan % kBlock == 0);
constexpr int kFarPoint = -1;    // stands for the index of a thinned point that is surely off the board
// A step of the curve is at most 1.4 pi * 150 / 4999 = 0.132, a span at most 5.3. So a span whose first sample is further off the
// board than kFar has no point on it.
constexpr double kFar = 6.0;
// Above this speed no step passes two multiples of it, and no block.
constexpr double kMinFastSpeed = 2.0;
// Arc length, as the rules sum it and as the functions below do, is within 1e-9 of the true one.
constexpr double kArcMargin = 2e-9;

bool far_off_board(Point p) {
  return p.x < -kFar || p.x > kBoardSize + kFar || p.y < -kFar || p.y > kBoardSize + kFar;
}

Point point_at(const Ellipse& e, double cos_t, double sin_t) {
  const double ex = e.c + e.a * cos_t, ey = e.b * sin_t;
  return {kCentre + ex * e.cos_phi - ey * e.sin_phi, kCentre + ex * e.sin_phi + ey * e.cos_phi};
}

// Gauss's rule with four nodes for a sum over kSpan equally spaced points: exact up to degree 7. Nodes are the roots of the Gram
// polynomial x^4 - (b1 + b2 + b3) x^2 + b1 b3 with b_n = n^2 (kSpan^2 - n^2) / (4 (4 n^2 - 1)), in samples from the middle.
struct SpanRule {
  double node[2], weight[2];  // of +node and -node

  SpanRule() {
    const auto b = [](double n) { return n * n * (double(kSpan) * kSpan - n * n) / (4 * (4 * n * n - 1)); };
    const double half = (b(1) + b(2) + b(3)) / 2, root = sqrt(half * half - b(1) * b(3));
    const double inner = half - root, outer = half + root;  // squares of the nodes
    node[0] = sqrt(inner);
    node[1] = sqrt(outer);
    weight[1] = kSpan * (b(1) - inner) / (2 * (outer - inner));
    weight[0] = kSpan / 2.0 - weight[1];
  }
};

// What all ellipses share: cosine and sine of the parameter of each sample, the squares of their differences, and what gives the
// length of a span. A step is a chord: exactly 2 sin(h / 2) sqrt(a^2 sin^2 t + b^2 cos^2 t) at the parameter t of its middle, h
// the parameter's increment; a smooth function whose sum over a span the rule gives within 1e-12.
struct Samples {
  double cosine[kSamples], sine[kSamples];
  alignas(64) double cosine_step2[kSamples], sine_step2[kSamples];  // from the sample before; 0 for the first
  static constexpr int kNodes = 4;
  alignas(64) double node_cosine2[kNodes][kSpans], node_sine2[kNodes][kSpans];
  double node_weight[kNodes];   // the chord's factor 2 sin(h / 2) included
  double first_cosine2, first_sine2, chord;  // of the step that would lead to sample 0: a span counts it, the curve does not

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
    const SpanRule rule;
    const double increment = 1.4 * kPi / (kSamples - 1), before_first = 0.3 * kPi - increment / 2;
    chord = 2 * sin(increment / 2);
    first_cosine2 = cos(before_first) * cos(before_first);
    first_sine2 = sin(before_first) * sin(before_first);
    for (int k = 0; k < kNodes; ++k) {
      node_weight[k] = chord * rule.weight[k / 2];
      for (int q = 0; q < kSpans; ++q) {
        const double from_middle = k % 2 ? -rule.node[k / 2] : rule.node[k / 2];
        const double t = before_first + increment * (q * kSpan + (kSpan - 1) / 2.0 + from_middle);
        node_cosine2[k][q] = cos(t) * cos(t);
        node_sine2[k][q] = sin(t) * sin(t);
      }
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

// Arc length does not depend on phi. total (kSpans): the steps that lead to the samples of each span, the first one's included.
void span_lengths(const Ellipse& e, double* total) {
  const Samples& s = Samples::get();
  const double a2 = e.a * e.a, b2 = e.b * e.b;
  for (int q = 0; q < kSpans; ++q) {
    double sum = 0;
    for (int k = 0; k < Samples::kNodes; ++k) sum += s.node_weight[k] * sqrt(a2 * s.node_sine2[k][q] + b2 * s.node_cosine2[k][q]);
    total[q] = sum;
  }
}

// The samples of a span where the arc, `arc` at its start, reaches multiples of the speed. False where rounding would decide.
bool look_into(const Ellipse& e, int span, double arc, double comet_speed, double& target, std::vector<int>& index) {
  const Samples& s = Samples::get();
  const double a2 = e.a * e.a, b2 = e.b * e.b;
  const int first = span * kSpan;
  alignas(64) double step[kSpan];
  for (int i = 0; i < kSpan; ++i) step[i] = sqrt(a2 * s.cosine_step2[first + i] + b2 * s.sine_step2[first + i]);
  for (int begin = 0; begin < kSpan; begin += kBlock) {
    const double* d = step + begin;
    const double next = arc + (((d[0] + d[4]) + (d[2] + d[6])) + ((d[1] + d[5]) + (d[3] + d[7])));
    if (next > target - kArcMargin) {
      int i = -1;
      for (double sum = arc; i < kBlock && sum < target;) {
        if (++i == kBlock) return false;  // the two orders of summation disagree about the block
        sum += d[i];
        if (fabs(sum - target) < kArcMargin) return false;
      }
      index.push_back(first + begin + i);
      target += comet_speed;
    }
    arc = next;
  }
  return true;
}

// Indices of the thinned points, kFarPoint for those surely off the board. False where rounding would decide one.
bool thin_fast(const Ellipse& e, double comet_speed, std::vector<int>& index) {
  const Samples& s = Samples::get();
  alignas(64) double total[kSpans];
  span_lengths(e, total);
  index.assign(1, 0);
  const double before_first = s.chord * sqrt(e.a * e.a * s.first_sine2 + e.b * e.b * s.first_cosine2);
  double arc = -before_first, target = comet_speed;
  for (int q = 0; q < kSpans; ++q) {
    const double next = arc + total[q];
    if (next > target - kArcMargin) {
      if (!far_off_board(sample(e, q * kSpan))) {
        if (!look_into(e, q, q == 0 ? 0 : arc, comet_speed, target, index)) return false;
        if (next > target - kArcMargin) return false;  // the two ways of summation disagree about the span
      } else {
        for (; next > target - kArcMargin; target += comet_speed) {
          if (next < target + kArcMargin) return false;
          index.push_back(kFarPoint);
        }
      }
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

// Distances as the official code writes them: Python's x ** 2 is C's pow(x, 2.0), which differs from x * x in the last bit of
// one argument in a thousand. Compile with -fno-builtin-pow, or the compiler puts x * x in its place.
#pragma once
#include "envs/common/host_device.h"

namespace orbit {

ORBIT_FN double square(double v) { return pow(v, 2.0); }
ORBIT_FN double distance(double ax, double ay, double bx, double by) { return sqrt(square(ax - bx) + square(ay - by)); }

}  // namespace orbit

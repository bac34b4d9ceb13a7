// Distances as the official code writes them (see square in host_device.h).
#pragma once
#include "envs/common/host_device.h"

namespace orbit {

ORBIT_FN double distance(double ax, double ay, double bx, double by) { return sqrt(square(ax - bx) + square(ay - by)); }

}  // namespace orbit

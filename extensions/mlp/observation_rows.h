// How an observation enters a network.
#pragma once
#include <cstring>
#include "extensions/mlp/mlp_tensors.h"

namespace orbit {

inline void take_observation(const MlpView& view, const float* from, float* to) {
  const size_t inputs = size_t(view.net[0].inputs());
  if (view.scale.empty()) {
    std::memcpy(to, from, sizeof(float) * inputs);
    return;
  }
  for (size_t i = 0; i < inputs; ++i) {
    const float x = (from[i] - view.shift[i]) * view.scale[i];
    to[i] = x < -kObservationLimit ? -kObservationLimit : x > kObservationLimit ? kObservationLimit : x;
  }
}

}  // namespace orbit

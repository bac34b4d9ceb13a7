// Random states for the tests of the networks: the shapes and masks that games give, drawn anew on every run.
#pragma once
#include <ATen/TensorOperators.h>
#include <ATen/core/Generator.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros.h>

#include "envs/orbit_wars/limits.h"
#include "src/policy/orbit_policy.h"

namespace orbit {

// About 28 of 36 slots hold a planet and about a fifth of those are owned. State 0 has no planet at all, state 1 none owned,
// state 2 all slots owned (if there are that many states).
inline PolicyInput random_input(int64_t states, at::Generator generator) {
  PolicyInput in;
  in.valid = at::rand({states, kFeatureSlots}, generator).lt(28.0 / 36.0);
  in.mine = in.valid.logical_and(at::rand({states, kFeatureSlots}, generator).lt(0.21));
  if (states > 2) {
    in.valid.select(0, 0).zero_();
    in.mine.slice(0, 0, 2).zero_();
    in.valid.select(0, 2).fill_(true);
    in.mine.select(0, 2).fill_(true);
  }
  in.planets = at::randn({states, kFeatureSlots, kPlanetFeatures}, generator) * in.valid.unsqueeze(-1);
  in.globals = at::randn({states, kGlobalFeatures}, generator);
  return in;
}

}  // namespace orbit

// The two forwards of orbit_v1: one function, two row layouts (see Layout).
#pragma once
#include "src/policy/orbit_weights.h"

namespace orbit {

// Every slot computed, static shapes, ATen operators alone: any device, nothing that depends on the data.
PolicyOutput forward_padded(const OrbitWeights& weights, const OrbitPolicyConfig& config, bool training, const PolicyInput& input);

// Rows of existing planets and heads of owned ones alone, fused CPU operators: the CPU's default.
PolicyOutput forward_packed(const OrbitWeights& weights, const OrbitPolicyConfig& config, bool training, const PolicyInput& input);

}  // namespace orbit

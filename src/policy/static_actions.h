// Sampling and greedy choice written in operators alone: any device, static shapes, nothing read back. The same numbers as the
// fused CPU loop of action_dist.cpp.
#pragma once
#include "src/policy/action_dist.h"

namespace orbit {

// output: of the padded layout.
ActionSample sample_static(const PolicyOutput& output, const SampleKey& key);
ActionSample greedy_static(const PolicyOutput& output, Greedy mode);

}  // namespace orbit

// Runs a collective step under every executor a CPU has.
#pragma once
#include "envs/common/lanes_fibers.h"
#include "envs/common/lanes_shuffled.h"

namespace orbit {

// step(lanes, name); the step must be able to run several times.
template <class F>
void on_every_executor(F step) {
  step(Serial{}, "serial");
  step(Shuffled{}, "shuffled");
  run_on_fibers([&](const auto& lanes) { step(lanes, "fibers"); });
}

}  // namespace orbit

// A number that changes during training, as a function of the optimizer's steps: computed on the device, so that a captured
// step sees it change.
#pragma once
#include <ATen/core/Tensor.h>
#include <cstdint>

namespace orbit {

struct Schedule {
  double start = 0;
  double end = 0;
  int64_t steps = 0;    // from start to end over so many optimizer steps, then constant; 0: always `start`
  bool cosine = false;  // half a cosine wave (Loshchilov and Hutter 2017) instead of a straight line
};

// steps_done () float32, on the device of the result; () float32.
at::Tensor scheduled(const Schedule& schedule, const at::Tensor& steps_done);
// The same into `to`, times `scale` () float32 where there is one: no operator's cost on a CPU, where every minibatch asks for it.
void write_scheduled(const at::Tensor& to, const Schedule& schedule, const at::Tensor& steps_done, const at::Tensor& scale = {});

}  // namespace orbit

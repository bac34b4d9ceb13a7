// A batch of Orbit Wars games as tensors, one per field, and the raw view of it that loops and kernels use.
#pragma once
#include <ATen/core/Tensor.h>
#include <string>
#include <vector>
#include "extensions/batch_view.h"

namespace orbit {

// Names of the tensors of the lists `state` and `bank`, in order.
std::vector<std::string> state_names();
std::vector<std::string> bank_names();

// A zeroed state for `count` environments: planet arrays (N, kMaxPlanets), fleet arrays (N, max_fleets), history arrays
// (N, their size), scalars (N, kScalarCount). max_fleets is a multiple of 16. int32 and float64.
std::vector<at::Tensor> make_state(int64_t count, int64_t max_fleets, at::Device device);

// In flight now, a game. Waits for the device.
double mean_fleets(at::TensorList state);

// Checks every tensor and gives their pointers. Throws c10::Error naming the tensor that does not fit.
BatchView view_of(at::TensorList state, at::TensorList bank, int64_t seats, int64_t episode_steps, double ship_speed);
MovesView view_of_moves(const at::Tensor& count, const at::Tensor& from, const at::Tensor& ships, const at::Tensor& angle,
                        int64_t environments, at::Device device);

}  // namespace orbit

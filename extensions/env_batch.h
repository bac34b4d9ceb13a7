// N small environments as tensors: a list, one tensor a name of env_batch_names(); EnvBatchView says what each means. All of them
// together are the whole state: copies of them restore it.
#pragma once
#include <ATen/core/Tensor.h>
#include <optional>
#include <string>
#include <vector>
#include "extensions/env_table.h"

namespace orbit {

// Places in the list.
enum EnvTensor {
  kEnvReal, kEnvInteger, kEnvEpisode, kEnvLength, kEnvReturn, kEnvReward, kEnvTerminated, kEnvTruncated, kEnvObservation,
  kEnvFinalObservation, kEnvFault, kEnvFinalLength, kEnvFinalReturn, kEnvTotals, kEnvTensors
};
std::vector<std::string> env_batch_names();

// Below this many environments a second thread costs more than it saves.
constexpr int64_t kEnvsPerTask = 512;

// Zeroed; env_reset_ makes them environments. in_double: arithmetic in double, else in float.
std::vector<at::Tensor> make_env_batch(const EnvTable& env, int64_t count, bool in_double, at::Device device);

// Pointers into the tensors, which are checked: names, expected and found. given: (N, K) float64 in place of draws, or none.
EnvBatchView env_batch_view(const EnvTable& env, at::TensorList batch, int64_t seed, int64_t first, int64_t time_limit,
                            const std::optional<at::Tensor>& given);

// A line for each environment that has a fault: its environment's name, its number, what happened. Reads the tensor on the host.
std::vector<std::string> env_faults(const EnvTable& env, const at::Tensor& fault, int64_t first);

}  // namespace orbit

// A policy that the fused operators of small networks know, as tensors: one or two perceptrons, and what their outputs mean.
#pragma once
#include <ATen/core/Tensor.h>
#include <optional>
#include <vector>
#include "extensions/mlp/mlp_net.h"
#include "extensions/mlp/policy_head.h"

namespace orbit {

// float32 all, but for the statistics. O observation, K outputs of the actor (logits, or a mean for each number), A numbers of an action.
struct MlpTensors {
  // Weight (out, in) and bias (out) of each layer. shared: of the trunk, the actor's one layer and the critic's. Else: of the
  // actor's network, then of the critic's, which has the same number of layers. Both of them act and value as mlp_policy.h says.
  std::vector<at::Tensor> weights;
  bool shared = false, relu = false;
  std::vector<int64_t> choices;       // (A) of choices; empty: the numbers are continuous
  std::optional<at::Tensor> log_std;  // (A) of continuous numbers
  std::vector<double> low, high;      // (A) of squashed Gaussians; empty: plain ones
  std::optional<at::Tensor> mean, variance;  // (O) float64 statistics that observations are normalised with (normalised_policy.h)

  int64_t observation_size() const { return weights[0].size(1); }
  int64_t numbers() const { return int64_t(choices.empty() ? (log_std ? log_std->numel() : 0) : choices.size()); }  // A
};

// The same, checked, as pointers into the tensors; it must not outlive them.
struct MlpView {
  int nets = 0;     // 1: shared
  MlpNet net[2];    // outputs of the first: K, and the value where it is the only one
  PolicyHead head;
  std::vector<float> shift, scale;  // (O) an observation enters as clamp((x - shift) * scale); empty: as it is
};
constexpr float kObservationLimit = 10.0f;  // kNormalisedLimit of src/running_moments.h

// gradients: in the order of weights, to be overwritten; empty where none are wanted.
MlpView mlp_view(const MlpTensors& tensors, at::TensorList gradients = {});

}  // namespace orbit

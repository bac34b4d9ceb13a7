// What every network that acts and values looks like to the trainer. Observations and actions are lists of tensors whose meaning
// the task and the policy agree on (task.h); nothing here knows what is played. B states.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

namespace orbit {

struct MlpTensors;  // extensions/mlp/mlp_tensors.h

using NamedTensor = std::pair<std::string, at::Tensor>;

// Names the random numbers of B states: draws (seed, Stream::kPolicy, agent[b], step, index), so an action depends on neither
// the batch it is computed in nor the number of threads.
struct SampleKey {
  uint64_t seed = 0;
  at::Tensor agent;  // (B) int64: environment and seat as one number, below 2^32
  at::Tensor step;   // () int64: counts forwards of the run; a tensor, since a captured region must see it change
};

struct ActionChoice {
  std::vector<at::Tensor> action;  // (B, ...) each, without gradient
  at::Tensor log_prob;             // (B) float32
};

struct ActionScore {
  at::Tensor log_prob;  // (B)
  at::Tensor entropy;   // (B)
};

// The distribution over the actions of B states.
class ActionDistribution {
 public:
  virtual ~ActionDistribution() = default;
  virtual ActionChoice sample(const SampleKey& key) const = 0;
  virtual ActionChoice greedy() const = 0;
  // Differentiable in the network's parameters.
  virtual ActionScore score(at::TensorList action) const = 0;
  // KL(this || reference) per state (B), exact; the reference comes from the same observation and kind of policy.
  virtual at::Tensor divergence(const ActionDistribution& reference) const = 0;
};

struct Prediction {
  std::unique_ptr<ActionDistribution> actions;
  at::Tensor value;  // (B)
};

class Policy {
 public:
  virtual ~Policy() = default;
  virtual Prediction predict(at::TensorList observation) const = 0;
  // The same of B rows that are sequences of `length` steps of one agent each, one behind the other: what recurrent policies go
  // through, with gradients along it. All others see rows alone.
  virtual Prediction predict_sequences(at::TensorList observation, int64_t /*length*/) const { return predict(observation); }
  // The same policy as fused operators know it: a small network on a CPU. Null: predict is all there is.
  virtual const MlpTensors* small_network() const { return nullptr; }
  // A deep copy with its own parameters, on the same device (frozen references, snapshots).
  virtual std::unique_ptr<Policy> clone() const = 0;

  // Leaf tensors in the order of the PyTorch module's state_dict. They share storage with the network: copy_ into them under
  // no_grad to load weights. They stay the same tensors for the life of the network.
  const std::vector<NamedTensor>& named_parameters() const { return parameters_; }
  // What else belongs into a file of weights: running statistics, which no gradient changes.
  const std::vector<NamedTensor>& named_buffers() const { return buffers_; }
  std::vector<NamedTensor> named_state() const;  // parameters, then buffers
  int64_t parameter_count() const;

  // Statistics of what was observed, (T, R, ...) each; active (T, R) bool. They change here alone, so that all predictions of an
  // iteration see the same ones.
  virtual void learn_statistics(at::TensorList /*observation*/, const at::Tensor& /*active*/) {}
  virtual bool needs_statistics() const { return false; }  // it has seen nothing yet

  virtual void train(bool on) { training_ = on; }  // dropout on or off
  void set_requires_grad(bool on);                 // false: a frozen network

 protected:
  std::vector<NamedTensor> parameters_, buffers_;
  bool training_ = true;
};

}  // namespace orbit

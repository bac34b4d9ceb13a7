// What every network that acts and values looks like to the trainer: inputs, outputs, parameters by name.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ATen/core/Tensor.h>

namespace orbit {

using NamedTensor = std::pair<std::string, at::Tensor>;

// Features v1 of B states, each one seat's view (spec: features.h). P = 36 planet slots.
struct PolicyInput {
  at::Tensor planets;  // (B, P, 41) float32, 0 in empty slots
  at::Tensor globals;  // (B, 20) float32
  at::Tensor valid;    // (B, P) bool: a planet is there
  at::Tensor mine;     // (B, P) bool: it belongs to the viewing seat, so its row acts; a subset of valid
};

// Action rows are flat: row r belongs to the slot rows[r] = state * P + slot, ascending. A network may leave out rows that
// do not act (Layout::kPacked) or give all B * P of them (kPadded: static shapes); `owned` says which ones count.
struct PolicyOutput {
  at::Tensor rows;       // (R) int64
  at::Tensor owned;      // (R) bool: this row acts; all true in the packed layout
  at::Tensor logits;     // (R, P + 1) over targets and no-op (column P); -1e9 where masked, no-op bias applied
  at::Tensor ship_mean;  // (R) mean of log1p(ships)
  at::Tensor value;      // (B)
  at::Tensor log_std;    // () of log1p(ships), one for all rows
};

// kPacked computes only what is real (rows of existing planets, heads of owned ones): shapes depend on the data, the CPU's
// default. kPadded computes every slot: static shapes for captured regions. Same function, equal to 1e-6 (a test holds them).
enum class Layout { kPacked, kPadded };

class Policy {
 public:
  virtual ~Policy() = default;
  virtual PolicyOutput forward(const PolicyInput& input) const = 0;
  // A deep copy with its own parameters, on the same device (frozen references, snapshots).
  virtual std::unique_ptr<Policy> clone() const = 0;

  // Leaf tensors in the order of the PyTorch module's state_dict. They share storage with the network: copy_ into them under
  // no_grad to load weights. They stay the same tensors for the life of the network.
  const std::vector<NamedTensor>& named_parameters() const { return parameters_; }
  int64_t parameter_count() const;

  void train(bool on) { training_ = on; }  // dropout on or off
  void set_requires_grad(bool on);         // false: a frozen network

 protected:
  std::vector<NamedTensor> parameters_;
  bool training_ = true;
};

}  // namespace orbit

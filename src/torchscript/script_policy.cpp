#include "src/torchscript/script_policy.h"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/arange.h>
#include <torch/csrc/jit/api/module.h>
#include <torch/csrc/jit/serialization/import.h>

#include "src/common/error.h"

namespace orbit {
namespace {

constexpr const char* kSignature = "forward(planets, globals, valid, mine) -> (logits, ship_mean, value, log_std)";

class ScriptPolicy final : public OrbitPolicy {
 public:
  ScriptPolicy(torch::jit::Module module, std::string path, Greedy greedy)
      : OrbitPolicy(greedy), module_(std::move(module)), path_(std::move(path)), greedy_(greedy) {
    for (const auto& named : module_.named_parameters()) parameters_.emplace_back(named.name, named.value);
    training_ = false;
  }

  PolicyOutput forward(const PolicyInput& input) const override {
    at::NoGradGuard no_gradients;
    torch::jit::Module module = module_;  // a handle: forward is not const
    c10::IValue made;
    try {
      made = module.forward({input.planets, input.globals, input.valid, input.mine});
    } catch (const std::exception& e) {
      const std::string what = e.what();  // the module's own trace ends with what went wrong
      throw UserError(path_ + ": its forward failed (" + what.substr(0, what.find('\n')) + "); expected " + kSignature);
    }
    const int64_t states = input.valid.size(0), slots = input.valid.size(1);
    return {at::arange(states * slots, input.valid.options().dtype(at::kLong)),
            input.mine.flatten(),
            tensor(made, 0, {states, slots, slots + 1}).flatten(0, 1),
            tensor(made, 1, {states, slots}).flatten(),
            tensor(made, 2, {states}),
            tensor(made, 3, {}),
            /*static_shapes=*/true};
  }

  std::unique_ptr<Policy> clone() const override { return std::make_unique<ScriptPolicy>(module_.deepcopy(), path_, greedy_); }

 private:
  at::Tensor tensor(const c10::IValue& made, size_t place, at::IntArrayRef shape) const {
    const bool is_tuple = made.isTuple() && made.toTupleRef().elements().size() == 4;
    const bool is_tensor = is_tuple && made.toTupleRef().elements()[place].isTensor();
    const at::Tensor found = is_tensor ? made.toTupleRef().elements()[place].toTensor() : at::Tensor();
    if (!found.defined() || found.sizes() != shape || found.scalar_type() != at::kFloat)
      throw UserError(path_ + ": output " + std::to_string(place) + " is no float32 tensor of the expected shape; expected " + kSignature);
    return found;
  }

  torch::jit::Module module_;
  std::string path_;
  Greedy greedy_;
};

}  // namespace

std::unique_ptr<OrbitPolicy> load_torchscript(const std::string& path, at::Device device, Greedy greedy) {
  std::optional<torch::jit::Module> module;
  try {
    module = torch::jit::load(path, device);
  } catch (const std::exception& e) {
    const std::string what = e.what();
    throw UserError(path + ": cannot be read as a TorchScript module (" + what.substr(0, what.find('\n')) +
                    "); write it with orbit_pack torchscript or torch.jit.save");
  }
  const auto forward = module->find_method("forward");
  if (!forward || forward->num_inputs() != 5)  // self first
    throw UserError(path + ": its module has no " + kSignature);
  module->eval();
  return std::make_unique<ScriptPolicy>(std::move(*module), path, greedy);
}

}  // namespace orbit

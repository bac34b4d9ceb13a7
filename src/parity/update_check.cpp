// orbit_parity update: a Python checkpoint with its AdamW state goes on here, over the same minibatches as in PyTorch.
#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros.h>

#include "src/checkpoint/named_weights.h"
#include "src/checkpoint/optimizer_state.h"
#include "src/checkpoint/pt_tensor.h"
#include "src/parity/commands.h"
#include "src/parity/parity_case.h"
#include "src/ppo/loss.h"

namespace orbit {
namespace {

constexpr double kNormTolerance = 1e-4;      // relative
constexpr double kGradientTolerance = 1e-4;  // of the largest of the tensor, plus
// With a norm of all of 0.5: a gradient is a sum over states whose terms may cancel, and a ReLU whose input lies within rounding of
// 0 passes a state's share on one side alone (about one case in fifty has one; 5e-6 was seen).
constexpr double kGradientNoise = 1e-5;
constexpr double kSureGradient = 1e-4;       // below, Adam follows the sign of rounding noise
constexpr double kSureTolerance = 1e-5;      // relative to the largest of the tensor, where the gradient was sure in every update
// and of the way that Adam can go (lr a step): a bias that starts at 0 is nothing but its steps, each lr times a quotient of
// gradients. Rounding of 1e-7 is a thousandth of the least gradient that is sure; a ReLU at 0 can be a twentieth, in one step of ten.
constexpr double kSureSteps = 5e-3;
constexpr double kStepsOff = 2;              // elsewhere: times lr and the number of updates

struct NamedDict {
  const PtValue& dict;
  at::Tensor operator[](const std::string& name) const { return to_tensor(dict.at(name)); }
};

// A case: config, state_dict, ref_state_dict, optimizer (torch.optim.AdamW.state_dict()), max_grad_norm, the loss's
// coefficients; batches: a list of the minibatches (planet, global, valid, mine, target, x, old_log_prob, advantages, returns);
// after: for each of them grad_norm and clipped (gradients by name); state_dict_after.
class UpdateCheck {
 public:
  UpdateCheck(const ParityCase& c, Layout layout)
      : case_(c), policy_(c.policy("state_dict", layout)), reference_(c.policy("ref_state_dict", layout)) {
    const PtValue &saved = c.at("optimizer"), &group = saved.at("param_groups").items().at(0);
    options_.lr.start = group.at("lr").as_double();
    options_.weight_decay = group.at("weight_decay").as_double();
    options_.beta1 = group.at("betas").items().at(0).as_double();
    options_.beta2 = group.at("betas").items().at(1).as_double();
    options_.eps = group.at("eps").as_double();
    options_.max_grad_norm = c.number("max_grad_norm");
    optimizer_ = std::make_unique<AdamW>(policy_->named_parameters(), options_);
    const NamedTensors in_file = find_state_dict(c.at("state_dict"), c.file());
    load_optimizer(saved, names_of(in_file), names_of(policy_->named_parameters()), *optimizer_, c.file());
    for (const auto& [name, p] : policy_->named_parameters()) sure_.push_back(at::ones_like(p.detach()));
  }

  std::vector<Comparison> run() {
    const auto &batches = case_.at("batches").items(), &after = case_.at("after").items();
    for (size_t k = 0; k < batches.size(); ++k) update(k, {batches[k], case_.file()}, after.at(k));
    const NamedDict expected{case_.at("state_dict_after")};
    const double way = options_.lr.start * double(batches.size());
    for (size_t i = 0; i < sure_.size(); ++i) {
      const auto& [name, p] = policy_->named_parameters()[i];
      const at::Tensor theirs = expected[name], unsure = 1.0 - sure_[i];
      compare("parameters " + name, p * sure_[i], theirs * sure_[i], kSureTolerance * largest(theirs) + kSureSteps * way);
      compare("parameters (unsure) " + name, p * unsure, theirs * unsure, kStepsOff * way);
    }
    return std::move(done_);
  }

 private:
  void compare(const std::string& name, const at::Tensor& found, const at::Tensor& expected, double tolerance) {
    done_.push_back(compare_tensors(name, found, expected, tolerance, case_.file()));
  }

  void update(size_t k, const ParityCase& b, const PtValue& after) {
    const PolicyInput input = b.input();
    const int64_t states = input.valid.size(0);
    const at::Tensor returns = b.tensor("returns");
    const Minibatch batch{input.list(), {b.tensor("target"), b.tensor("x")}, b.tensor("old_log_prob"), /*old_value=*/returns,
                          b.tensor("advantages"), returns, at::full({states}, 1.0 / double(states))};
    optimizer_->zero_grad();
    const LossOptions options{{case_.number("clip_eps")}, {case_.number("entropy_coef")}, {case_.number("kl_beta")},
                              case_.number("value_coef"), std::nullopt};
    ppo_loss(*policy_, reference_.get(), batch, options, coefficients_at(options, optimizer_->steps_done())).total.backward();
    const at::Tensor norm = optimizer_->clip_gradients(), their_norm = to_tensor(after.at("grad_norm"));
    optimizer_->step(at::zeros({}, at::kFloat));
    const std::string prefix = "update " + std::to_string(k + 1) + ": ";
    compare(prefix + "grad_norm", norm, their_norm, kNormTolerance * largest(their_norm));
    const NamedDict clipped{after.at("clipped")};
    for (size_t i = 0; i < sure_.size(); ++i) {
      const auto& [name, p] = policy_->named_parameters()[i];
      const at::Tensor theirs = clipped[name];
      // The first update starts from equal parameters; later ones from what noise made of the unsure elements.
      if (k == 0) compare(prefix + "clipped " + name, p.grad(), theirs, kGradientNoise + kGradientTolerance * largest(theirs));
      sure_[i].mul_(theirs.abs().gt(kSureGradient).to(at::kFloat));
    }
  }

  const ParityCase& case_;
  std::unique_ptr<OrbitPolicy> policy_, reference_;
  AdamWOptions options_;
  std::unique_ptr<AdamW> optimizer_;
  std::vector<at::Tensor> sure_;  // by parameter, 1 where every gradient so far was above the noise
  std::vector<Comparison> done_;
};

std::vector<Comparison> check_update(const ParityCase& c, const CaseOptions& options) { return UpdateCheck(c, options.layout).run(); }

}  // namespace

int update_command(int argc, char** argv) {
  return run_case_command("update", "Continues a PyTorch checkpoint with its AdamW state over the same minibatches.", check_update, argc,
                          argv);
}

}  // namespace orbit

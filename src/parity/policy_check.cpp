#include "src/parity/policy_check.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>

#include "src/checkpoint/pt_tensor.h"
#include "src/parity/commands.h"
#include "src/policy/action_dist.h"
#include "src/ppo/adamw.h"
#include "src/ppo/loss.h"
#include "src/torchscript/script_policy.h"

namespace orbit {
namespace {

using at::Tensor;

// One run over a case: what is compared grows in `done`.
class PolicyCheck {
 public:
  PolicyCheck(const ParityCase& given, const CaseOptions& options)
      : given_(given),
        layout_(options.layout),
        built_in_(options.torchscript.empty()),
        policy_(built_in_ ? given.policy("state_dict", options.layout) : load_torchscript(options.torchscript)),
        input_(given.input()) {
    read_tolerances();
  }

  std::vector<Comparison> run() {
    check_forward();
    if (!built_in_) return std::move(done_);
    check_actions();
    if (given_.find("loss")) check_loss();
    return std::move(done_);
  }

 private:
  static Tensor tensor(const PtValue& from, const char* key) { return to_tensor(from.at(key)); }

  void read_tolerances() {
    const PtValue* given = given_.find("tolerance");
    if (!given) return;
    const std::pair<const char*, double*> known[] = {{"forward", &tolerance_.forward}, {"score", &tolerance_.score},
        {"loss", &tolerance_.loss}, {"gradient", &tolerance_.gradient}, {"gradient_relative", &tolerance_.gradient_relative},
        {"grad_norm", &tolerance_.grad_norm}, {"step", &tolerance_.step}};
    for (const auto& [name, value] : known) {
      if (const PtValue* found = given->find(name)) *value = found->as_double();
    }
  }

  void compare(const std::string& name, const Tensor& found, const Tensor& expected, double tolerance) {
    done_.push_back(compare_tensors(name, found, expected, tolerance, given_.file()));
  }

  void check_forward() {
    output_ = policy_->forward(input_);
    // A layout may leave out rows that do not act; all that are there are compared, owned or not.
    const Tensor logits = given_.tensor("logits").flatten(0, 1).index_select(0, output_.rows);
    const Tensor real = logits.gt(-1e8), zero = at::zeros({}, logits.options());
    compare("logits.masked", output_.logits.eq(-1e9f).to(at::kFloat), real.logical_not().to(at::kFloat), 0);
    const Tensor expected = at::where(real, logits, zero);
    compare("logits", at::where(real, output_.logits, zero), expected, tolerance_.forward * std::max(1.0, largest(expected)));
    compare("ship_mean", output_.ship_mean, given_.tensor("ship_mean").flatten().index_select(0, output_.rows), tolerance_.forward);
    compare("value", output_.value, given_.tensor("value"), tolerance_.forward);
    // log_std is a weight, not an output (and policy.pt's entry of that name is the value after its optimizer step).
  }

  void check_actions() {
    if (given_.find("log_prob")) {
      const ActionScore score = evaluate_actions(output_, given_.tensor("target"), given_.tensor("x"));
      compare("log_prob", score.log_prob, given_.tensor("log_prob"), tolerance_.score);
      compare("entropy", score.entropy, given_.tensor("entropy"), tolerance_.score);
    }
    if (given_.find("kl")) {
      const PolicyOutput anchor = given_.policy("ref_state_dict", layout_)->forward(input_);
      compare("kl", kl_divergence(output_, anchor), given_.tensor("kl"), tolerance_.score);
    }
    for (const auto& [key, mode] : {std::pair("greedy_argmax", Greedy::kArgmax), std::pair("greedy_fire", Greedy::kFire)}) {
      if (given_.find(key)) compare(key, greedy_actions(output_, mode).target, given_.tensor(key), 0);
    }
  }

  void check_loss() {
    const PtValue& loss = given_.at("loss");
    const int64_t states = input_.valid.size(0);
    const Tensor returns = tensor(loss, "returns");
    const Minibatch batch{input_.list(), {given_.tensor("target"), given_.tensor("x")}, tensor(loss, "old_log_prob"),
                          /*old_value=*/returns, tensor(loss, "advantages"), returns, at::full({states}, 1.0 / double(states))};
    const LossOptions options{{loss.at("clip_eps").as_double()}, {loss.at("entropy_coef").as_double()},
                              {loss.at("kl_beta").as_double()}, loss.at("value_coef").as_double(), std::nullopt};
    const std::unique_ptr<OrbitPolicy> reference = given_.policy("ref_state_dict", layout_);
    const LossTerms terms = ppo_loss(*policy_, reference.get(), batch, options, coefficients_at(options, at::zeros({}, at::kFloat)));
    const std::pair<const char*, Tensor> named[] = {{"policy_loss", terms.policy_loss}, {"value_loss", terms.value_loss},
        {"entropy", terms.entropy}, {"bc_kl", terms.kl}, {"loss", terms.total}, {"approx_kl", terms.approx_kl},
        {"clip_fraction", terms.clip_fraction}};
    for (const auto& [name, value] : named) {
      compare("loss." + std::string(name), value, tensor(loss, ("out_" + std::string(name)).c_str()), tolerance_.loss);
    }
    if (!given_.find("grad")) return;
    terms.total.backward();
    check_gradients();
    if (given_.find("step")) check_step();
  }

  void check_gradients() {
    const PtValue& expected = given_.at("grad");
    for (const auto& [name, parameter] : policy_->named_parameters()) {
      const Tensor theirs = tensor(expected, name.c_str());
      const Tensor ours = parameter.grad().defined() ? parameter.grad() : at::zeros_like(parameter);  // none: it was never used
      compare("grad " + name, ours, theirs, tolerance_.gradient + tolerance_.gradient_relative * largest(theirs));
    }
  }

  void check_step() {
    const PtValue &step = given_.at("step"), &after = step.at("state_dict");
    AdamWOptions options;
    options.lr.start = step.at("lr").as_double();
    options.weight_decay = step.at("weight_decay").as_double();
    options.max_grad_norm = step.at("max_grad_norm").as_double();
    AdamW optimizer(policy_->named_parameters(), options);
    const Tensor norm = optimizer.clip_gradients(), their_norm = tensor(step, "grad_norm");
    optimizer.step(at::zeros({}, at::kFloat));
    compare("grad_norm", norm, their_norm, tolerance_.grad_norm * largest(their_norm));
    for (const auto& [name, parameter] : policy_->named_parameters()) {
      if (const PtValue* clipped = step.find("clipped")) {
        const Tensor theirs = tensor(*clipped, name.c_str());
        compare("clipped " + name, parameter.grad(), theirs, tolerance_.gradient + tolerance_.gradient_relative * largest(theirs));
      }
      const Tensor sure = parameter.grad().abs().gt(1e-4).to(at::kFloat);  // the optimizer has clipped it
      compare("step " + name, parameter * sure, tensor(after, name.c_str()) * sure, tolerance_.step);
    }
  }

  const ParityCase& given_;
  Layout layout_;
  bool built_in_;
  std::unique_ptr<OrbitPolicy> policy_;
  PolicyInput input_;
  PolicyTolerances tolerance_;
  PolicyOutput output_;
  std::vector<Comparison> done_;
};

}  // namespace

std::vector<Comparison> check_policy(const ParityCase& policy_case, const CaseOptions& options) {
  return PolicyCheck(policy_case, options).run();
}

int policy_command(int argc, char** argv) {
  return run_case_command("policy", "Holds the network against cases of PyTorch: outputs, scores, loss, gradients, optimizer step.",
                          check_policy, argc, argv);
}

}  // namespace orbit

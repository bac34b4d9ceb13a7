#include "src/parity/parity_case.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include "src/checkpoint/named_weights.h"
#include "src/checkpoint/pt_tensor.h"
#include "src/common/error.h"
#include "src/policy/orbit_policy.h"

namespace orbit {

at::Tensor ParityCase::tensor(const char* key) const { return to_tensor(value_.at(key)); }

std::unique_ptr<OrbitPolicy> ParityCase::policy(const char* weights, Layout layout) const {
  const PtValue& c = value_.at("config");
  OrbitPolicyConfig config;
  config.hidden = c.at("hidden").as_int();
  config.attn_heads = c.at("heads").as_int();
  config.inducing_points = c.at("inducing").as_int();
  config.encoder_layers = c.at("layers").as_int();
  config.no_op_bias = c.at("no_op_bias").as_double();
  std::unique_ptr<OrbitPolicy> policy = make_orbit_policy(config, 0, layout);
  at::NoGradGuard no_grad;
  load_by_name(policy->named_parameters(), find_state_dict(value_, file_, weights), {}, file_);
  return policy;
}

PolicyInput ParityCase::input() const { return {tensor("planet"), tensor("global"), tensor("valid"), tensor("mine")}; }

double largest(const at::Tensor& t) { return t.numel() ? t.abs().max().item<double>() : 0.0; }

Comparison compare_tensors(const std::string& name, const at::Tensor& found, const at::Tensor& expected, double tolerance,
                           const std::string& file) {
  Comparison comparison(name, tolerance);
  if (found.sizes() != expected.sizes())
    throw UserError(file + ": " + name + " has another shape than what it is to be compared with");
  const at::Tensor a = found.detach().to(at::kDouble).contiguous(), b = expected.detach().to(at::kDouble).contiguous();
  const double *ours = a.const_data_ptr<double>(), *theirs = b.const_data_ptr<double>();
  for (int64_t i = 0; i < a.numel(); ++i) {
    comparison.value(ours[i], theirs[i], [&] { return name + "[" + std::to_string(i) + "]"; });
  }
  return comparison;
}

}  // namespace orbit

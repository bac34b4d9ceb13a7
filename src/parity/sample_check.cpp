// orbit_parity sample: actions drawn and chosen against the same draws in plain Python, and against the distribution itself.
#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/minimum.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/zeros_like.h>

#include "src/checkpoint/pt_tensor.h"
#include "src/parity/commands.h"
#include "src/parity/parity_case.h"
#include "src/policy/action_dist.h"

namespace orbit {
namespace {

constexpr double kShipsTolerance = 1e-5, kLogProbTolerance = 1e-4;
constexpr double kDeviations = 6;  // of a frequency or moment from its expectation, in standard deviations: 2 in 10^9
constexpr double kEnough = 50;     // expected draws of a target, and of all others: below, its frequency is not normal

// Deviations in standard deviations, 0 where the expectation leaves no room for any.
at::Tensor deviations(const at::Tensor& found, const at::Tensor& expected, const at::Tensor& variance) {
  return (found - expected) / variance.clamp_min(1e-12).sqrt();
}

// A case: config, state_dict, planet, global, valid, mine; seed, agent (B), step; target, x, log_prob: what Philox 4x32-10 of
// these draws. Optional, frequencies: draws (a number), probability (B, P, P + 1), mean (B, P), sigma.
std::vector<Comparison> check_sample(const ParityCase& c, const CaseOptions& options) {
  const std::unique_ptr<OrbitPolicy> policy = c.policy("state_dict", options.layout);
  const PolicyInput input = c.input();
  const PolicyOutput output = policy->forward(input);
  SampleKey key{uint64_t(c.at("seed").as_int()), c.tensor("agent"), c.tensor("step")};
  const ActionSample drawn = sample_actions(output, key);
  std::vector<Comparison> done = {compare_tensors("target", drawn.target, c.tensor("target"), 0, c.file()),
                                  compare_tensors("x", drawn.x, c.tensor("x"), kShipsTolerance, c.file()),
                                  compare_tensors("log_prob", drawn.log_prob, c.tensor("log_prob"), kLogProbTolerance, c.file())};
  for (const auto& [name, mode] : {std::pair("greedy_argmax", Greedy::kArgmax), std::pair("greedy_fire", Greedy::kFire)})
    done.push_back(compare_tensors(name, greedy_actions(output, mode).target, c.tensor(name), 0, c.file()));
  if (!c.find("frequencies")) return done;

  const ParityCase f = c.inner("frequencies");
  const int64_t draws = f.at("draws").as_int();
  const at::Tensor probability = f.tensor("probability").to(at::kDouble), owned = input.mine.to(at::kDouble);
  at::Tensor counts = at::zeros_like(probability), sum = at::zeros_like(owned), squares = at::zeros_like(owned);
  for (int64_t i = 0; i < draws; ++i) {
    key.step = at::full({}, i, at::kLong);
    const ActionSample sample = sample_actions(output, key);
    const at::Tensor chosen = sample.target.to(at::kLong).unsqueeze(-1);
    counts.scatter_add_(-1, chosen, at::ones_like(chosen, counts.options()));
    const at::Tensor z = (sample.x.to(at::kDouble) - f.tensor("mean")) / f.number("sigma");
    sum.add_(z), squares.add_(z.square());
  }
  const double n = double(draws);
  const at::Tensor counted = probability.minimum(1.0 - probability).ge(kEnough / n).to(at::kDouble) * owned.unsqueeze(-1);
  const at::Tensor rate = deviations(counts / n, probability, probability * (1.0 - probability) / n) * counted;
  const at::Tensor one = at::ones_like(sum), zero = at::zeros_like(sum);
  // Mean and mean square of standard normal numbers: variances 1 / n and 2 / n.
  for (const auto& [name, found] : {std::pair("frequencies of targets", rate),
                                    std::pair("mean of x", deviations(sum / n, zero, one / n) * owned),
                                    std::pair("variance of x", deviations(squares / n, one, 2.0 * one / n) * owned)})
    done.push_back(compare_tensors(name, found, at::zeros_like(found), kDeviations, c.file()));
  return done;
}

}  // namespace

int sample_command(int argc, char** argv) {
  return run_case_command("sample", "Holds actions against the same draws in Python, and frequencies against the distribution.", check_sample, argc, argv);
}

}  // namespace orbit

// Autocast to bfloat16: the same network in coarser numbers, with weights, outputs and gradients in float32.
#include <ATen/CPUGeneratorImpl.h>
#include <ATen/ops/cat.h>
#include <gtest/gtest.h>
#include "src/policy/orbit_policy.h"
#include "tests/src/policy/random_input.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

// Of sums of random signs over all outputs, so that no term of the network drops out.
at::Tensor gradient(const OrbitPolicy& policy, const PolicyInput& input, uint64_t seed) {
  at::Generator draw = at::detail::createCPUGenerator(seed);
  const PolicyOutput out = policy.forward(input);
  const auto weighted = [&](const at::Tensor& t) { return (t * at::randn(t.sizes(), draw)).sum(); };
  (weighted(out.logits.clamp_min(-100)) + weighted(out.ship_mean) + weighted(out.value)).backward();
  std::vector<at::Tensor> all;
  for (const auto& [name, p] : policy.named_parameters()) {
    if (!p.grad().defined()) continue;
    EXPECT_EQ(p.scalar_type(), at::kFloat) << name;
    EXPECT_EQ(p.grad().scalar_type(), at::kFloat) << name;
    all.push_back(p.grad().flatten());
  }
  return at::cat(all);
}

TEST(Bf16, IsTheSameNetworkInCoarserNumbers) {
  const uint64_t seed = fresh_seed();
  OrbitPolicyConfig config{64, 4, 8, 2};
  const PolicyInput input = random_input(24, at::detail::createCPUGenerator(seed));
  const auto full = make_orbit_policy(config, seed, Layout::kPadded);
  config.bf16 = true;
  const auto half = make_orbit_policy(config, seed, Layout::kPadded);

  const PolicyOutput a = full->forward(input), b = half->forward(input);
  // A product rounds to 8 bits, 2^-9 of its size; a dozen of them one behind the other.
  constexpr double kTolerance = 0.03;
  const std::pair<at::Tensor, at::Tensor> outputs[] = {
      {a.logits.clamp_min(-100), b.logits.clamp_min(-100)}, {a.ship_mean, b.ship_mean}, {a.value, b.value}};
  for (const auto& [exact, coarse] : outputs) {
    EXPECT_EQ(coarse.scalar_type(), at::kFloat);
    const double gap = (exact - coarse).abs().max().item<double>(), size = exact.abs().max().item<double>();
    EXPECT_GT(gap, 1e-6 * size) << "computed in float32";
    EXPECT_LT(gap, kTolerance * size);
  }
  const at::Tensor g = gradient(*full, input, seed), h = gradient(*half, input, seed);
  EXPECT_GT((g.dot(h) / (g.norm() * h.norm())).item<double>(), 0.99);
}

}  // namespace
}  // namespace orbit

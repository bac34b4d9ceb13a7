// Orthogonal initialisation: rows or columns, whichever are fewer, are orthonormal times the gain.
#include <ATen/ATen.h>
#include <gtest/gtest.h>
#include "src/policy/orbit_policy.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

double gain_of(const std::string& name) {
  if (name.ends_with("pair_proj.weight") || name.ends_with("ship_head.3.weight")) return 0.01;
  return name.ends_with("value_head.net.2.weight") ? 1.0 : std::sqrt(2.0);
}

TEST(OrbitPolicy, OrthogonalWeights) {
  const uint64_t seed = fresh_seed();
  OrbitPolicyConfig config{32, 4, 8, 1};
  config.orthogonal = true;
  const auto policy = make_orbit_policy(config, seed), other = make_orbit_policy(config, seed + 1);
  int matrices = 0;
  for (size_t i = 0; i < policy->named_parameters().size(); ++i) {
    const auto& [name, tensor] = policy->named_parameters()[i];
    const at::Tensor t = tensor.detach();
    ASSERT_TRUE(t.isfinite().all().item<bool>()) << name;
    if (t.dim() == 1 && name.find(".ln") == std::string::npos && name.find("log_std") == std::string::npos) {
      EXPECT_EQ(t.abs().max().item<double>(), 0) << name;
    }
    if (t.dim() != 2) continue;
    ++matrices;
    const double gain = gain_of(name);
    const int64_t parts = name.find("in_proj_weight") != std::string::npos ? 3 : 1;  // query, key, value
    for (const at::Tensor& w : t.chunk(parts)) {
      const at::Tensor m = w.to(at::kDouble), gram = m.size(0) <= m.size(1) ? m.matmul(m.t()) : m.t().matmul(m);
      EXPECT_LT((gram - at::eye(gram.size(0), at::kDouble) * gain * gain).abs().max().item<double>(), 1e-5) << name;
    }
    EXPECT_FALSE(t.equal(other->named_parameters()[i].second)) << name;
  }
  EXPECT_GT(matrices, 10);
}

}  // namespace
}  // namespace orbit

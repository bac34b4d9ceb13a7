// Advantages against their definition: A_t = sum_k (gamma lambda)^k delta_{t+k}, within an episode.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <random>
#include "src/ppo/advantage.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

RolloutBatch random_batch(int64_t steps, int64_t rows, uint64_t seed) {
  at::manual_seed(seed);
  RolloutBatch b;
  b.reward = at::randn({steps, rows});
  b.value = at::randn({steps, rows});
  b.final_value = at::randn({steps, rows});
  b.terminated = at::rand({steps, rows}).lt(0.08);
  b.truncated = at::rand({steps, rows}).lt(0.08);  // both flags may fire at once
  b.truncated[steps - 1] = true;
  b.active = at::ones({steps, rows}, at::kBool);
  return b;
}

// The definition, summed forward in double precision.
double advantage_by_definition(const RolloutBatch& b, int64_t t, int64_t row, double gamma, double lambda) {
  double total = 0, weight = 1;
  for (int64_t k = t; k < b.steps(); ++k, weight *= gamma * lambda) {
    const bool terminated = b.terminated[k][row].item<bool>(), truncated = b.truncated[k][row].item<bool>();
    const double next = terminated ? 0 : truncated ? b.final_value[k][row].item<double>() : b.value[k + 1][row].item<double>();
    total += weight * (b.reward[k][row].item<double>() + gamma * next - b.value[k][row].item<double>());
    if (terminated || truncated) break;
  }
  return total;
}

TEST(Advantage, EqualsItsDefinition) {
  const RolloutBatch b = random_batch(40, 6, fresh_seed());
  const Advantages a = compute_gae(b, 0.97, 0.9);
  for (int64_t t = 0; t < b.steps(); ++t)
    for (int64_t row = 0; row < b.rows(); ++row) {
      const double expected = advantage_by_definition(b, t, row, 0.97, 0.9);
      ASSERT_NEAR(a.advantage[t][row].item<double>(), expected, 1e-5 * (1 + std::abs(expected))) << "step " << t << ", row " << row;
      ASSERT_NEAR(a.ret[t][row].item<double>(), expected + b.value[t][row].item<double>(), 1e-5 * (1 + std::abs(expected)));
    }
}

// A task of constant reward that only ever truncates, with the true value r / (1 - gamma) everywhere: nothing is surprising.
TEST(Advantage, TruncationIsNoEnd) {
  const double gamma = 0.9, value = 1.0 / (1 - gamma);
  RolloutBatch b = random_batch(30, 2, 1);
  b.reward.fill_(1);
  b.value.fill_(value);
  b.final_value.fill_(value);
  b.terminated.fill_(false);
  b.truncated.fill_(false);
  b.truncated[9] = true;
  b.truncated[29] = true;
  EXPECT_LT(compute_gae(b, gamma, 0.95).advantage.abs().max().item<double>(), 1e-5);
  b.terminated[9] = true;  // both at once: an end
  EXPECT_NEAR(compute_gae(b, gamma, 0.95).advantage[9][0].item<double>(), 1 - value, 1e-5);
}

TEST(Advantage, NormalisedOverActiveEntriesAlone) {
  at::manual_seed(fresh_seed());
  const at::Tensor a = at::randn({50, 4}) * 3 + 2, active = at::rand({50, 4}).lt(0.7);
  const at::Tensor n = normalise_advantages(a, active), some = a.masked_select(active);
  EXPECT_TRUE(at::allclose(n.masked_select(active), (some - some.mean()) / (some.std() + 1e-8), 1e-5, 1e-6));
  EXPECT_EQ(n.masked_select(active.logical_not()).abs().max().item<double>(), 0);
}

TEST(Advantage, SameBitsForAnyNumberOfThreads) {
  const RolloutBatch b = random_batch(20, 301, fresh_seed());
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const Advantages one = compute_gae(b, 0.97, 0.9);
  for (const int threads : {2, 3, 8}) {
    at::set_num_threads(threads);
    const Advantages many = compute_gae(b, 0.97, 0.9);
    EXPECT_TRUE(many.advantage.equal(one.advantage) && many.ret.equal(one.ret)) << threads << " threads";
  }
  at::set_num_threads(before);
}

}  // namespace
}  // namespace orbit

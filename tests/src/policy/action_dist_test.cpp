// Sampling: the numbers do not depend on layout, batch or threads; frequencies are the distribution's; log-probabilities are
// those of the differentiable score. Formulas of score and divergence are held against PyTorch by orbit_parity's cases.
#include <gtest/gtest.h>

#include <cmath>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Parallel.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>

#include "src/policy/action_dist.h"
#include "src/policy/orbit_policy.h"
#include "tests/src/policy/random_input.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

at::Tensor step_of(int64_t step) { return at::full({}, step, at::kLong); }

PolicyInput rows_of(const PolicyInput& in, int64_t from, int64_t to) {
  return {in.planets.slice(0, from, to), in.globals.slice(0, from, to), in.valid.slice(0, from, to), in.mine.slice(0, from, to)};
}

TEST(Sampling, SameActionsForAnyBatchLayoutAndThreads) {
  const uint64_t seed = fresh_seed();
  const auto packed = make_orbit_policy({32, 4, 8, 1}, seed), padded = make_orbit_policy({32, 4, 8, 1}, seed, Layout::kPadded);
  const PolicyInput input = random_input(80, at::detail::createCPUGenerator(seed));
  const at::Tensor agent = at::arange(1000, 1080, at::kLong);
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const PolicyOutput output = packed->forward(input);
  const ActionSample all = sample_actions(output, {seed, agent, step_of(5)});
  at::set_num_threads(4);
  const ActionSample again = sample_actions(output, {seed, agent, step_of(5)});
  at::set_num_threads(threads);
  EXPECT_TRUE(again.target.equal(all.target) && again.x.equal(all.x) && again.log_prob.equal(all.log_prob));

  const ActionSample other = sample_actions(padded->forward(input), {seed, agent, step_of(5)});
  EXPECT_TRUE(other.target.equal(all.target));
  EXPECT_LT((other.x - all.x).abs().max().item<float>(), 1e-5);
  const ActionSample part = sample_actions(packed->forward(rows_of(input, 30, 50)), {seed, agent.slice(0, 30, 50), step_of(5)});
  EXPECT_TRUE(part.target.equal(all.target.slice(0, 30, 50)));

  EXPECT_FALSE(sample_actions(output, {seed, agent, step_of(6)}).x.equal(all.x));
  EXPECT_FALSE(sample_actions(output, {seed + 1, agent, step_of(5)}).x.equal(all.x));
}

// What a captured region does is what the fused loop does, on the same output.
TEST(Sampling, OperatorsAloneChooseTheSame) {
  const uint64_t seed = fresh_seed();
  const auto padded = make_orbit_policy({32, 4, 8, 1}, seed, Layout::kPadded);
  PolicyOutput alone = padded->forward(random_input(60, at::detail::createCPUGenerator(seed))), fused = alone;
  ASSERT_TRUE(alone.static_shapes);
  fused.static_shapes = false;
  const auto expect_same = [&](const ActionSample& a, const ActionSample& b) {
    EXPECT_TRUE(a.target.equal(b.target));
    EXPECT_EQ(a.target.scalar_type(), b.target.scalar_type());
    EXPECT_LT((a.x - b.x).abs().max().item<float>(), 1e-6);
    EXPECT_LT((a.log_prob - b.log_prob).abs().max().item<float>(), 1e-4);  // sums of up to 36 rows, hundreds in size
  };
  for (int64_t step = 0; step < 20; ++step) {
    const SampleKey key{seed, at::arange(60, at::kLong), step_of(step)};
    expect_same(sample_actions(alone, key), sample_actions(fused, key));
  }
  for (const Greedy mode : {Greedy::kArgmax, Greedy::kFire}) expect_same(greedy_actions(alone, mode), greedy_actions(fused, mode));
}

TEST(Sampling, LogProbabilityIsTheScores) {
  const uint64_t seed = fresh_seed();
  const auto policy = make_orbit_policy({32, 4, 8, 2}, seed);
  const PolicyInput input = random_input(50, at::detail::createCPUGenerator(seed));
  const PolicyOutput output = policy->forward(input);
  for (const ActionSample& a : {sample_actions(output, {seed, at::arange(50, at::kLong), step_of(0)}),
                                greedy_actions(output, Greedy::kArgmax), greedy_actions(output, Greedy::kFire)}) {
    EXPECT_LT((evaluate_actions(output, a.target, a.x).log_prob - a.log_prob).abs().max().item<float>(), 1e-4);
    const at::Tensor idle = input.mine.logical_not();
    EXPECT_TRUE(a.target.masked_select(idle).eq(kFeatureSlots).all().item<bool>());
    EXPECT_EQ(a.x.masked_select(idle).abs().sum().item<float>(), 0);
    // A target that is chosen exists (or is the no-op).
    const at::Tensor exists = at::cat({input.valid, at::ones({50, 1}, at::kBool)}, 1);
    EXPECT_TRUE(exists.gather(1, a.target.to(at::kLong)).all().item<bool>());
  }
}

// One row, drawn 40,000 times under different steps: target frequencies by chi-square, x by its first moments.
TEST(Sampling, Frequencies) {
  const uint64_t seed = fresh_seed();
  constexpr int64_t kDraws = 40000, kChoices = kFeatureSlots + 1;
  at::Tensor row = at::randn({1, kChoices}, at::detail::createCPUGenerator(seed)) * 1.5;
  row.slice(1, 10, 20).fill_(-1e9);
  PolicyOutput output{at::arange(kDraws, at::kLong) * kFeatureSlots + 3, at::ones({kDraws}, at::kBool),
                      row.expand({kDraws, -1}).contiguous(), at::full({kDraws}, 1.25), at::zeros({kDraws}), at::full({}, -0.5)};
  const ActionSample a = sample_actions(output, {seed, at::arange(kDraws, at::kLong), step_of(9)});
  const at::Tensor target = a.target.select(1, 3), p = row.squeeze(0).softmax(0) * double(kDraws);
  double chi_square = 0, cells = 0;
  for (int64_t t = 0; t < kChoices; ++t) {
    const double expected = p[t].item<double>(), seen = double(target.eq(t).sum().item<int64_t>());
    if (t >= 10 && t < 20) {
      EXPECT_EQ(seen, 0) << t;
    }
    if (expected < 5) continue;
    chi_square += (seen - expected) * (seen - expected) / expected;
    ++cells;
  }
  EXPECT_LT(chi_square, cells + 6 * std::sqrt(2 * cells));  // six deviations
  const at::Tensor z = (a.x.select(1, 3).to(at::kDouble) - 1.25) / std::exp(-0.5);
  EXPECT_NEAR(z.mean().item<double>(), 0, 6 / std::sqrt(kDraws));
  EXPECT_NEAR(z.square().mean().item<double>(), 1, 6 * std::sqrt(2.0 / kDraws));
  EXPECT_NEAR(z.pow(4).mean().item<double>(), 3, 6 * std::sqrt(96.0 / kDraws));
  // Target and ships are independent draws.
  const at::Tensor hit = target.eq(row.argmax()).to(at::kDouble);
  EXPECT_NEAR(((hit - hit.mean()) * z).mean().item<double>(), 0, 6 / std::sqrt(kDraws));
}

TEST(Greedy, FireAvoidsTheNoOp) {
  at::Tensor logits = at::zeros({3, kFeatureSlots + 1});
  logits[0][4] = 1;
  logits[0][kFeatureSlots] = 500;  // no-op leads, but by less than 999
  logits[1].fill_(-1e9);
  logits[1][kFeatureSlots] = 0;  // nothing to fire at
  logits[2][7] = 2;
  const PolicyOutput output{at::arange(3, at::kLong), at::ones({3}, at::kBool), logits, at::zeros({3}), at::zeros({1}), at::zeros({})};
  const auto target = [&](Greedy mode, int64_t row) { return greedy_actions(output, mode).target[0][row].item<int>(); };
  EXPECT_EQ(target(Greedy::kArgmax, 0), kFeatureSlots);
  EXPECT_EQ(target(Greedy::kFire, 0), 4);
  EXPECT_EQ(target(Greedy::kFire, 1), kFeatureSlots);
  EXPECT_EQ(target(Greedy::kArgmax, 2), 7);
}

TEST(Score, SigmaHasAFloor) {
  const PolicyOutput output{at::zeros({1}, at::kLong), at::ones({1}, at::kBool), at::zeros({1, kFeatureSlots + 1}), at::zeros({1}),
                            at::zeros({1}), at::full({}, -40.0)};
  const ActionScore score = evaluate_actions(output, at::zeros({1, kFeatureSlots}, at::kInt), at::zeros({1, kFeatureSlots}));
  EXPECT_NEAR(score.entropy.item<double>(), std::log(37.0) + 0.5 + 0.5 * std::log(2 * M_PI) + std::log(1e-3), 1e-5);
}

}  // namespace
}  // namespace orbit

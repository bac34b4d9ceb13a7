// The packed forward with its fused operators must be the padded one, which is written like the PyTorch module: outputs on
// owned rows, log-probabilities, entropies, divergences, and the gradient of every parameter.
#include <gtest/gtest.h>

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/core/grad_mode.h>

#include "src/policy/action_dist.h"
#include "src/policy/kernels/kernels.h"
#include "src/policy/orbit_policy.h"
#include "tests/src/policy/random_input.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

struct Shape {
  int64_t hidden, heads, inducing, layers, states;
};

double worst(const at::Tensor& a, const at::Tensor& b) { return a.numel() ? (a - b).abs().max().item<double>() : 0.0; }

at::Tensor loss_of(const PolicyOutput& out, const PolicyOutput& reference, const ActionSample& action) {
  const ActionScore score = evaluate_actions(out, action.target, action.x);
  return score.log_prob.mean() + 0.3 * score.entropy.mean() + 0.7 * kl_divergence(out, reference).mean() + out.value.square().mean();
}

// The first parameter whose gradients differ, "" where none does. In the norm; the floor is for biases of keys, whose gradient
// is 0 in exact arithmetic.
std::string differing_gradient(const Policy& packed, const Policy& padded) {
  for (size_t i = 0; i < packed.named_parameters().size(); ++i) {
    const auto& [name, ours] = packed.named_parameters()[i];
    const at::Tensor theirs = padded.named_parameters()[i].second.grad();
    if (!ours.grad().defined() || !theirs.defined()) return name + " has no gradient";
    const double gap = (ours.grad() - theirs).norm().item<double>(), size = theirs.norm().item<double>();
    if (!(gap < 1e-5 + 1e-3 * size)) return name + ": " + std::to_string(gap) + " of " + std::to_string(size);
  }
  return "";
}

// Outputs must agree; returns which gradient does not.
std::string compare_layouts(const Shape& s, uint64_t seed) {
  SCOPED_TRACE("hidden " + std::to_string(s.hidden) + " heads " + std::to_string(s.heads) + " states " + std::to_string(s.states));
  const OrbitPolicyConfig config{s.hidden, s.heads, s.inducing, s.layers};
  const PolicyInput input = random_input(s.states, at::detail::createCPUGenerator(seed));
  const auto packed = make_orbit_policy(config, seed), padded = make_orbit_policy(config, seed, Layout::kPadded);
  const auto packed_ref = make_orbit_policy(config, seed + 1), padded_ref = make_orbit_policy(config, seed + 1, Layout::kPadded);

  const PolicyOutput a = packed->forward(input), b = padded->forward(input);
  EXPECT_EQ(b.rows.size(0), s.states * kFeatureSlots);
  EXPECT_TRUE(a.rows.equal(b.rows.masked_select(b.owned)));
  EXPECT_LT(worst(a.logits, b.logits.index_select(0, a.rows)), 1e-6 * std::max(1.0, b.logits.slice(1, kFeatureSlots).abs().max().item<double>()));
  EXPECT_LT(worst(a.ship_mean, b.ship_mean.index_select(0, a.rows)), 1e-6);
  EXPECT_LT(worst(a.value, b.value), 1e-6);

  const SampleKey key{seed, at::arange(s.states, at::kLong), at::zeros({}, at::kLong)};
  const ActionSample action = sample_actions(b, key);
  at::Tensor loss[2];
  {
    at::NoGradGuard no_grad;  // the paths without bookkeeping are others
    EXPECT_EQ(worst(packed->forward(input).logits, a.logits), 0);
  }
  loss[0] = loss_of(a, packed_ref->forward(input), action);
  loss[1] = loss_of(b, padded_ref->forward(input), action);
  EXPECT_NEAR(loss[0].item<double>(), loss[1].item<double>(), 1e-5 * std::max(1.0, std::abs(loss[1].item<double>())));
  loss[0].backward();
  loss[1].backward();
  return differing_gradient(*packed, *padded);
}

// A ReLU whose input is 0 to rounding opens in one layout and not in the other (seen once in some fifty seeds at hidden 96), which
// is no fault; a fault differs for every seed. So of three seeds one must agree in every gradient.
void expect_layouts_agree(const Shape& s, uint64_t seed) {
  std::string differs;
  for (uint64_t k = 0; k < 3; ++k) {
    differs = compare_layouts(s, seed + 1000 * k);
    if (differs.empty()) return;
  }
  ADD_FAILURE() << "gradients differ for three seeds: " << differs;
}

TEST(Layouts, OneFunction) {
  const uint64_t seed = fresh_seed();
  const Kernels& before = kernels();
  for (const Kernels* set : runnable_kernels()) {
    SCOPED_TRACE(set->name);
    use_kernels(*set);
    // Head widths that fill vectors and ones that do not; one state; more states than a chunk, in several groups.
    for (const Shape& s : {Shape{32, 4, 8, 2, 33}, Shape{36, 4, 5, 1, 9}, Shape{48, 4, 8, 1, 200}, Shape{20, 2, 3, 2, 1},
                           Shape{96, 8, 24, 2, 12}, Shape{16, 2, 4, 1, 60}}) {
      expect_layouts_agree(s, seed);
    }
  }
  use_kernels(before);
}

TEST(Layouts, NothingOwnedAndNothingThere) {
  const auto policy = make_orbit_policy({32, 4, 8, 1}, 1);
  PolicyInput input = random_input(2, at::detail::createCPUGenerator(3));
  input.mine.zero_();
  for (const bool empty : {false, true}) {
    if (empty) input.valid.zero_();
    const PolicyOutput out = policy->forward(input);
    const ActionSample action = sample_actions(out, {1, at::zeros({2}, at::kLong), at::zeros({}, at::kLong)});
    const ActionScore score = evaluate_actions(out, action.target, action.x);
    EXPECT_EQ(score.log_prob.abs().sum().item<float>(), 0);
    EXPECT_EQ(score.entropy.abs().sum().item<float>(), 0);
    EXPECT_TRUE(action.target.eq(kFeatureSlots).all().item<bool>());
    (score.log_prob.sum() + score.entropy.sum() + out.value.sum()).backward();
    for (const auto& [name, parameter] : policy->named_parameters()) {
      EXPECT_TRUE(!parameter.grad().defined() || parameter.grad().isfinite().all().item<bool>()) << name;
    }
  }
}

// torch.manual_seed(7), then ActorCritic(32, 4, 8, 1) of tests/python/policy_reference.py: first value and sum of sizes.
TEST(OrbitPolicy, NewWeightsAreThoseOfPyTorch) {
  const struct {
    const char* name;
    float first;
    double sum;
  } expected[] = {
      {"backbone.in_proj.weight", 0.0109079694f, 104.266906},
      {"backbone.encoder.0.inducing", -0.129101202f, 17.8873753},
      {"backbone.encoder.0.mab1.mha.in_proj_weight", -0.194619015f, 336.435295},
      {"backbone.encoder.0.mab2.ff.2.bias", 0.0321216583f, 1.88692419},
      {"backbone.pool.seeds", 0.00492877373f, 4.56559743},
      {"backbone.psi.0.weight", 0.0842170641f, 114.048641},
      {"head_per_planet.noop_query", -0.13529183f, 5.09464634},
      {"head_per_planet.pair_proj.weight", 0.164576694f, 89.4625205},
      {"value_head.net.2.bias", -0.139623851f, 0.139623851},
  };
  const auto policy = make_orbit_policy({32, 4, 8, 1}, 7);
  size_t found = 0;
  for (const auto& [name, tensor] : policy->named_parameters()) {
    for (const auto& e : expected) {
      if (name != e.name) continue;
      ++found;
      EXPECT_FLOAT_EQ(tensor.flatten()[0].item<float>(), e.first) << name;
      EXPECT_NEAR(tensor.to(at::kDouble).abs().sum().item<double>(), e.sum, 1e-5) << name;
    }
  }
  EXPECT_EQ(found, std::size(expected));
}

TEST(OrbitPolicy, ReleasedSizeAndClone) {
  const auto policy = make_orbit_policy({}, 7);
  EXPECT_EQ(policy->parameter_count(), 3148227);
  EXPECT_EQ(policy->named_parameters().size(), 138u);
  const auto copy = policy->clone();
  for (size_t i = 0; i < 138; ++i) {
    const auto &[name, ours] = policy->named_parameters()[i];
    const auto &[copied_name, theirs] = copy->named_parameters()[i];
    EXPECT_EQ(name, copied_name);
    EXPECT_TRUE(ours.equal(theirs)) << name;
    EXPECT_NE(ours.data_ptr(), theirs.data_ptr()) << name;
  }
}

}  // namespace
}  // namespace orbit

// Properties that every environment has; one list (battery.h) says which there are.
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include "tests/extensions/battery.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

using Tensors = std::vector<at::Tensor>;

Tensors copies(const Tensors& list) {
  Tensors result;
  for (const at::Tensor& t : list) result.push_back(t.clone());
  return result;
}

// Bit for bit, so that NaN equals NaN.
bool same(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && at::equal(a.contiguous().view(at::kByte), b.contiguous().view(at::kByte));
}
void expect_same(const Tensors& a, const Tensors& b, const std::string& where) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i)
    ASSERT_TRUE(same(a[i], b[i])) << where << ": tensor " << i << " differs by "
                                  << (a[i].to(at::kDouble) - b[i].to(at::kDouble)).abs().max();
}

class Battery : public testing::TestWithParam<BatteryEntry> {
 protected:
  const uint64_t seed_ = fresh_seed();
};
INSTANTIATE_TEST_SUITE_P(Environments, Battery, testing::ValuesIn(battery_entries()), [](const auto& i) { return i.param.name; });

TEST_P(Battery, EqualSeedsAndActionsGiveEqualEpisodes) {
  const auto a = GetParam().make(5, seed_, 0), b = GetParam().make(5, seed_, 0);
  a->reset(), b->reset();
  for (int step = 0; step < 150; ++step) {
    expect_same(a->seen(), b->seen(), "step " + std::to_string(step));
    a->step(seed_), b->step(seed_);
  }
  expect_same(a->state(), b->state(), "state");
}

TEST_P(Battery, SeedsAndEnvironmentsDiffer) {
  const auto a = GetParam().make(4, seed_, 0), b = GetParam().make(4, seed_ + 1, 0);
  a->reset(), b->reset();
  const at::Tensor x = a->seen()[0].clone(), y = b->seen()[0].clone();
  EXPECT_FALSE(same(x, y)) << "seeds " << seed_ << " and the next begin alike";
  for (int i = 1; i < 4; ++i) EXPECT_FALSE(same(x[0], x[i])) << "environments 0 and " << i << " begin alike";
}

TEST_P(Battery, ObservationsAndRewardsKeepTheirBounds) {
  const auto e = GetParam().make(16, seed_, 0);
  e->reset();
  const auto [low, high] = e->reward_bounds();
  for (int step = 0; step < 600; ++step) {
    const Tensors seen = e->seen();
    ASSERT_TRUE(at::isfinite(seen[0]).all().item<bool>()) << "step " << step;
    if (e->observation_low().defined()) {
      const at::Tensor outside = seen[0].lt(e->observation_low() - 1e-6).logical_or(seen[0].gt(e->observation_high() + 1e-6));
      ASSERT_FALSE(outside.any().item<bool>()) << "step " << step << ": " << seen[0].masked_select(outside);
    }
    if (step > 0) {
      ASSERT_GE(seen[1].min().item<double>(), low - 1e-6) << "step " << step;
      ASSERT_LE(seen[1].max().item<double>(), high + 1e-6) << "step " << step;
    }
    e->step(seed_);
  }
}

// 37 and 3: with full SIMD lanes, with a rest, and without any full ones.
TEST_P(Battery, TogetherEqualsAlone) {
  const int64_t n = 37;
  const auto together = GetParam().make(n, seed_, 0);
  std::vector<std::unique_ptr<BatterySubject>> parts;
  std::vector<int64_t> firsts{0, 1, 4, 36}, counts{1, 3, 32, 1};
  for (size_t p = 0; p < firsts.size(); ++p) parts.push_back(GetParam().make(counts[p], seed_, firsts[p]));
  together->reset();
  for (auto& part : parts) part->reset();
  for (int step = 0; step < 120; ++step) {
    for (size_t p = 0; p < parts.size(); ++p) {
      Tensors expected;
      for (const at::Tensor& t : together->seen()) expected.push_back(t.narrow(0, firsts[p], counts[p]));
      expect_same(parts[p]->seen(), expected, "from " + std::to_string(firsts[p]) + ", step " + std::to_string(step));
      parts[p]->step(seed_);
    }
    together->step(seed_);
  }
}

TEST_P(Battery, SavedStateRestores) {
  const auto a = GetParam().make(6, seed_, 0);
  a->reset();
  for (int step = 0; step < 30; ++step) a->step(seed_);
  const Tensors saved = copies(a->state());
  a->step(seed_ + 1);
  const Tensors after = copies(a->seen());
  // Into another batch, which has lived another life.
  const auto b = GetParam().make(6, seed_, 0);
  b->reset();
  for (int step = 0; step < 30; ++step) b->step(seed_ + 2);
  const Tensors into = b->state();
  for (size_t i = 0; i < saved.size(); ++i) into[i].copy_(saved[i]);
  b->step(seed_ + 1);
  expect_same(b->seen(), after, "the step after");
  expect_same(b->state(), a->state(), "state");
}

TEST_P(Battery, TerminatedAndTruncatedAreApart) {
  const auto e = GetParam().make(64, seed_, 0);
  e->reset();
  for (int step = 0; step < 300; ++step) {
    e->step(seed_);
    const Tensors seen = e->seen();
    ASSERT_FALSE(seen[2].logical_and(seen[3]).any().item<bool>()) << "step " << step;
  }
}

TEST_P(Battery, ThreadsChangeNothing) {
  const int threads = at::get_num_threads();
  Tensors one;
  for (const int count : {1, 3}) {
    at::set_num_threads(count);
    const int64_t n = GetParam().name == "orbit_wars" ? 40 : 2500;  // more than a thread's share
    const auto e = GetParam().make(n, seed_, 0);
    e->reset();
    for (int step = 0; step < 25; ++step) e->step(seed_);
    if (count == 1) one = copies(e->seen());
    else expect_same(e->seen(), one, std::to_string(count) + " threads");
  }
  at::set_num_threads(threads);
}

}  // namespace
}  // namespace orbit

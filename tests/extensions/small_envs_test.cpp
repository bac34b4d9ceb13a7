// What small environments have beyond the battery: time limits, last observations, statistics, faults, and loops in any order.
#include <ATen/ATen.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <algorithm>
#include <random>
#include "extensions/env_batch.h"
#include "extensions/env_registry.h"
#include "extensions/episodes.h"
#include "extensions/ops.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

std::vector<std::string> all_names() {
  load_env_library(ORBIT_LIB_DIR "/dice_walk.so");
  return env_names();
}

class SmallEnvs : public testing::TestWithParam<std::string> {
 protected:
  const EnvTable& env() const { return find_env(GetParam()); }
  bool whole() const { return env().action_kind != ActionKind::kContinuous; }
  std::vector<at::Tensor> batch(int64_t n) const { return make_env_batch(env(), n, false, at::kCPU); }
  at::Tensor random_action(int64_t n) {
    at::Tensor action = at::empty({n, env().action_size}, whole() ? at::kLong : at::kFloat);
    for (int32_t a = 0; a < env().action_size; ++a) {
      const Bounds b = env().action_bounds[a];
      for (int64_t i = 0; i < n; ++i) {
        if (whole()) action[i][a] = int64_t(random_() % (uint64_t(b.high) + 1));
        else action[i][a] = std::uniform_real_distribution<float>(b.low, b.high)(random_);
      }
    }
    return action;
  }
  void step(const std::vector<at::Tensor>& b, const at::Tensor& action, int64_t time_limit = -1) {
    ops::env_step_(GetParam(), b, action, seed_, 0, time_limit);
  }

  const uint64_t seed_ = fresh_seed();
  std::mt19937_64 random_{seed_};
};
INSTANTIATE_TEST_SUITE_P(Environments, SmallEnvs, testing::ValuesIn(all_names()), [](const auto& i) { return i.param; });

// A twin without a limit goes on where the other is cut: what it sees is the true last observation.
TEST_P(SmallEnvs, TimeLimitTruncatesAndKeepsTheLastObservation) {
  const int64_t n = 21, limit = 7;
  const auto cut = batch(n);
  ops::env_reset_(GetParam(), cut, seed_);
  int64_t truncations = 0;
  for (int t = 1; t <= 40; ++t) {
    std::vector<at::Tensor> twin;
    for (const at::Tensor& x : cut) twin.push_back(x.clone());
    const at::Tensor action = random_action(n), length = cut[kEnvLength].clone();
    step(cut, action, limit);
    step(twin, action, 0);
    for (int64_t i = 0; i < n; ++i) {
      const bool ended = cut[kEnvTerminated][i].item<bool>(), truncated = cut[kEnvTruncated][i].item<bool>();
      EXPECT_EQ(ended, twin[kEnvTerminated][i].item<bool>());
      if (twin[kEnvTruncated][i].item<bool>()) continue;  // by the environment's own doing
      EXPECT_EQ(truncated, !ended && length[i].item<int64_t>() + 1 == limit) << "environment " << i << ", step " << t;
      EXPECT_EQ(cut[kEnvLength][i].item<int64_t>(), ended || truncated ? 0 : length[i].item<int64_t>() + 1);
      if (!truncated) continue;
      ++truncations;
      EXPECT_TRUE(at::equal(cut[kEnvFinalObservation][i], twin[kEnvObservation][i])) << "environment " << i << ", step " << t;
      EXPECT_FALSE(at::equal(cut[kEnvObservation][i], twin[kEnvObservation][i])) << "no new episode in environment " << i;
    }
  }
  EXPECT_GT(truncations, 0);
}

TEST_P(SmallEnvs, StatisticsMatchAPlainAccount) {
  const int64_t n = 9, limit = 30;
  const auto b = batch(n);
  ops::env_reset_(GetParam(), b, seed_);
  std::vector<double> ret(n), length(n), totals(kEpisodeTotals);
  for (int t = 0; t < 200; ++t) {
    step(b, random_action(n), limit);
    for (int64_t i = 0; i < n; ++i) {
      ret[i] += b[kEnvReward][i].item<double>(), length[i] += 1;
      const bool terminated = b[kEnvTerminated][i].item<bool>();
      if (!terminated && !b[kEnvTruncated][i].item<bool>()) continue;
      EXPECT_EQ(b[kEnvFinalLength][i].item<double>(), length[i]);
      EXPECT_NEAR(b[kEnvFinalReturn][i].item<double>(), ret[i], 1e-4);  // float sums
      totals[kEpisodes] += 1, totals[kEpisodesTerminated] += terminated, totals[kEpisodeLength] += length[i];
      totals[kEpisodeReturn] += ret[i], totals[kEpisodeReturnSquared] += ret[i] * ret[i];
      ret[i] = length[i] = 0;
    }
  }
  const at::Tensor sums = b[kEnvTotals].sum(0);
  ASSERT_GT(totals[kEpisodes], 0);
  for (int k = 0; k < kEpisodeTotals; ++k)
    EXPECT_NEAR(sums[k].item<double>(), totals[k], 1e-4 * (1 + std::abs(totals[k]))) << "total " << k;
}

// The loops of a CPU over ranges of environments, in any order and of any size, do what the operator does.
TEST_P(SmallEnvs, SerialEqualsShuffled) {
  const int64_t n = 600;
  const auto serial = batch(n), shuffled = batch(n);
  ops::env_reset_(GetParam(), serial, seed_);
  ops::env_reset_(GetParam(), shuffled, seed_);
  for (int t = 0; t < 20; ++t) {
    const at::Tensor action = random_action(n);
    step(serial, action);
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (int64_t begin = 0; begin < n;) {
      const int64_t end = std::min<int64_t>(n, begin + 1 + int64_t(random_() % 40));
      ranges.emplace_back(begin, end);
      begin = end;
    }
    std::shuffle(ranges.begin(), ranges.end(), random_);
    const EnvBatchView view = env_batch_view(env(), shuffled, int64_t(seed_), 0, -1, {});
    for (const auto& [begin, end] : ranges) env().in_float.step(view, action.const_data_ptr(), begin, end);
    for (int k = 0; k < kEnvTensors; ++k) ASSERT_TRUE(at::equal(serial[k], shuffled[k])) << env_batch_names()[k] << ", step " << t;
  }
}

TEST_P(SmallEnvs, NaNIsReportedWithNameAndNumber) {
  const auto b = batch(40);
  ops::env_reset_(GetParam(), b, seed_, 100);
  EXPECT_TRUE(env_faults(env(), b[kEnvFault], 100).empty());
  b[kEnvReal].select(1, 17).fill_(std::numeric_limits<float>::quiet_NaN());
  ops::env_step_(GetParam(), b, random_action(40), seed_, 100);
  const std::vector<std::string> faults = env_faults(env(), b[kEnvFault], 100);
  ASSERT_EQ(faults.size(), 1u);
  EXPECT_THAT(faults[0], testing::StartsWith(GetParam() + ", environment 117: "));
  EXPECT_THAT(faults[0], testing::HasSubstr("an observation is not finite"));
  step(b, random_action(40));
  EXPECT_EQ(env_faults(env(), b[kEnvFault], 100).size(), 1u) << "a fault stays until it is cleared";
}

TEST_P(SmallEnvs, ActionsOutOfBoundsAreReported) {
  if (!whole()) GTEST_SKIP() << "continuous actions are clipped";
  for (const int64_t wrong : {int64_t(-1), int64_t(env().action_bounds[0].high) + 1, std::numeric_limits<int64_t>::max()}) {
    const auto b = batch(5);
    ops::env_reset_(GetParam(), b, seed_);
    at::Tensor action = random_action(5);
    action[3][0] = wrong;
    step(b, action);
    const std::vector<std::string> faults = env_faults(env(), b[kEnvFault], 0);
    ASSERT_EQ(faults.size(), 1u);
    EXPECT_EQ(faults[0], GetParam() + ", environment 3: an action is out of its bounds");
  }
}

TEST_P(SmallEnvs, TooFewGivenNumbersAreReported) {
  const auto b = batch(2);
  ops::env_reset_(GetParam(), b, seed_, 0, at::zeros({2, 1}, at::kDouble));
  const std::vector<std::string> faults = env_faults(env(), b[kEnvFault], 0);
  if (GetParam().starts_with("mountain_car")) {  // one is what it draws
    EXPECT_TRUE(faults.empty());
    return;
  }
  ASSERT_EQ(faults.size(), 2u);
  EXPECT_EQ(faults[1], GetParam() + ", environment 1: more random numbers were drawn than given");
}

TEST_P(SmallEnvs, WrongTensorsAreNamed) {
  const auto message = [](auto call) {
    try {
      call();
    } catch (const c10::Error& e) {
      return std::string(e.what_without_backtrace());
    }
    return std::string("no error");
  };
  const auto b = batch(3);
  const at::Tensor wide = at::zeros({3, env().action_size + 1}, whole() ? at::kLong : at::kFloat);
  EXPECT_THAT(message([&] { step(b, wide); }), testing::HasSubstr("action: expected shape"));
  EXPECT_THAT(message([&] { step(b, at::zeros({3, env().action_size}, at::kDouble)); }), testing::HasSubstr("action: expected dtype"));
  auto wrong = b;
  wrong[kEnvFault] = at::zeros({4}, at::kByte);
  EXPECT_THAT(message([&] { step(wrong, random_action(3)); }), testing::HasSubstr("fault: expected shape"));
  const at::Tensor none = at::zeros({3, 0}, at::kDouble);
  EXPECT_THAT(message([&] { ops::env_reset_(GetParam(), b, 0, 0, none); }), testing::HasSubstr("given: expected at least one number"));
  EXPECT_THAT(message([&] { ops::env_reset_("no_such", b, 0); }), testing::HasSubstr("no environment \"no_such\"; there is cartpole"));
}

TEST(EnvLibrary, WrongOnesAreRefused) {
  const auto message = [](const std::string& file) {
    try {
      load_env_library(file);
    } catch (const c10::Error& e) {
      return std::string(e.what_without_backtrace());
    }
    return std::string("no error");
  };
  const std::string folder = ORBIT_LIB_DIR;
  EXPECT_THAT(message(folder + "/other_contract.so"), testing::HasSubstr("built for contract " + std::to_string(kEnvContract + 1)));
  EXPECT_THAT(message(folder + "/no_environment.so"), testing::HasSubstr("not an environment library"));
  EXPECT_THAT(message(folder + "/no_such_file.so"), testing::HasSubstr("no such file"));
  EXPECT_THAT(message(ORBIT_TEST_DATA "/../README.md"), testing::HasSubstr("cannot be loaded"));
  EXPECT_EQ(load_env_library(folder + "/dice_walk.so"), "dice_walk");
  EXPECT_EQ(load_env_library(folder + "/dice_walk.so"), "dice_walk") << "a second time changes nothing";
}

}  // namespace
}  // namespace orbit

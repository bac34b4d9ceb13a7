// Sine, cosine and exponential in float against the C library's in double.
#include "envs/common/real_math.h"
#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <random>
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

TEST(RealMath, SineAndCosineAreWithinAFloatsLastBits) {
  std::mt19937_64 random(fresh_seed());
  for (const double range : {0.8, 7.0, 1e3, 1e6, 1e8}) {
    std::uniform_real_distribution<float> angle(-float(range), float(range));
    for (int i = 0; i < 20000; ++i) {
      const float x = angle(random);
      ASSERT_NEAR(sine(x), std::sin(double(x)), 1.3e-7) << x;
      ASSERT_NEAR(cosine(x), std::cos(double(x)), 1.3e-7) << x;
    }
  }
  EXPECT_EQ(sine(0.0f), 0.0f);
  EXPECT_EQ(cosine(0.0f), 1.0f);
  EXPECT_TRUE(std::isnan(sine(std::numeric_limits<float>::quiet_NaN())));
}

TEST(RealMath, ExponentialIsWithinAFloatsLastBits) {
  std::mt19937_64 random(fresh_seed());
  std::uniform_real_distribution<float> exponent(-87.0f, 88.0f);
  for (int i = 0; i < 50000; ++i) {
    const float x = i % 2 ? exponent(random) : exponent(random) * 0.01f;
    ASSERT_NEAR(exponential(x) / std::exp(double(x)), 1.0, 3e-7) << x;
  }
  EXPECT_EQ(exponential(0.0f), 1.0f);
  EXPECT_EQ(exponential(-1000.0f), 0.0f);
  EXPECT_TRUE(std::isnan(exponential(std::numeric_limits<float>::quiet_NaN())));
}

}  // namespace
}  // namespace orbit

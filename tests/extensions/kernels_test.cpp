// The vector functions that small networks are made of, compiled here as this program is (mlp_policy_test.cpp holds each instruction
// set's networks to Torch).
#define ORBIT_KERNEL_SET kernels_test
#include "extensions/kernels/small_gemm.h"
#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include <random>
#include <vector>
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

TEST(Kernels, TransposeMovesEachNumberAndTouchesNoOther) {
  std::mt19937 random(static_cast<uint32_t>(fresh_seed()));
  for (int k = 0; k < 300; ++k) {
    const int64_t rows = 1 + random() % 40, columns = 1 + random() % 40, ldf = columns + random() % 9, ldt = rows + random() % 9;
    std::vector<float> from(size_t(rows * ldf)), to(size_t(columns * ldt), -1.0f);
    for (size_t i = 0; i < from.size(); ++i) from[i] = float(i);
    transpose(from.data(), ldf, rows, columns, to.data(), ldt);
    for (int64_t c = 0; c < columns; ++c)
      for (int64_t r = 0; r < ldt; ++r)
        ASSERT_EQ(to[size_t(c * ldt + r)], r < rows ? from[size_t(r * ldf + c)] : -1.0f) << rows << " x " << columns << " at " << r << ", " << c;
  }
}

template <class V>
void expect_bounds_that_keep_nan() {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const V bound = V{} + 1.0f, higher = max(bound, V{} + 2.0f), lower = min(bound, V{} - 2.0f), none = max(bound, min(bound, V{} + nan));
  for (int64_t k = 0; k < kWidth<V>; ++k) {
    EXPECT_EQ(higher[k], 2.0f);
    EXPECT_EQ(lower[k], -2.0f);
    EXPECT_TRUE(std::isnan(none[k]));
  }
}

TEST(Kernels, BoundsKeepWhatIsNoNumber) {
  expect_bounds_that_keep_nan<Float4>();
  expect_bounds_that_keep_nan<Float8>();
  expect_bounds_that_keep_nan<Floats>();
}

TEST(Kernels, HyperbolicTangentIsWithinItsBound) {
  std::mt19937 random(static_cast<uint32_t>(fresh_seed()));
  std::uniform_real_distribution<float> anywhere(-12.0f, 12.0f);
  for (int k = 0; k < 20000; ++k) {
    Float8 x;
    for (int i = 0; i < 8; ++i) x[i] = anywhere(random);
    const Float8 y = tanh_of(x);
    for (int i = 0; i < 8; ++i) ASSERT_NEAR(y[i], std::tanh(double(x[i])), 4e-7) << x[i];
  }
}

}  // namespace
}  // namespace orbit

#include "envs/orbit_wars/intercept.h"
#include <gtest/gtest.h>
#include <cmath>
#include <map>
#include "src/parity/feature_cases.h"

namespace orbit {
namespace {

TEST(Intercept, MeetsTheOriginalsAnswers) {
  const AimCases cases(ORBIT_TEST_DATA "/features/aim.npz");
  ASSERT_EQ(cases.count(), 2010);
  double worst = 0;
  for (int i = 0; i < cases.count(); ++i) {
    const AimCase c = cases.load(i);
    const Aim aim = intercept(c.game, 0, 1, c.ships);
    ASSERT_EQ(aim.ok, c.ok) << "query " << i << ", " << c.branch;
    if (!aim.ok) continue;
    ASSERT_EQ(aim.turns, c.turns) << "query " << i << ", " << c.branch;
    const double off = std::max({std::fabs(aim.angle - c.angle), std::fabs(aim.x - c.x), std::fabs(aim.y - c.y)});
    ASSERT_LE(off, 1e-6) << "query " << i << ", " << c.branch;
    worst = std::max(worst, off);
  }
  std::printf("largest difference of 2010 aims: %g\n", worst);
}

}  // namespace
}  // namespace orbit

#include "envs/orbit_wars/decode.h"
#include <gtest/gtest.h>
#include <cmath>
#include <limits>
#include "src/parity/feature_cases.h"
#include "tests/support/executors.h"

namespace orbit {
namespace {

struct Orders {
  int32_t count = -1, from[kMaxPlanets], ships[kMaxPlanets];
  double angle[kMaxPlanets];
  MoveRow row(int capacity = kMaxPlanets) { return {&count, from, ships, angle, capacity}; }
};

struct Action {
  std::vector<int32_t> target = std::vector<int32_t>(kFeatureSlots, kNoOpTarget);
  std::vector<float> x = std::vector<float>(kFeatureSlots, 0.0f);
};

Orders orders_of(const Game& g, int seat, const Action& a, const DecodeOptions& options) {
  Orders out;
  DecodeScratch scratch;
  decode(Serial{}, g, seat, a.target.data(), a.x.data(), options, scratch, out.row());
  return out;
}

// Actions of policy.pt and the moves that the original made of them.
class OriginalMoves : public ::testing::Test {
 protected:
  const Npz moves{ORBIT_TEST_DATA "/features/moves.npz"};
  const FeatureCases cases{ORBIT_TEST_DATA "/features/cases.npz"};
  const std::vector<int> case_index = moves.as<int>("case_index"), rows = moves.as<int>("moves"), at = moves.as<int>("moves_at");
  const std::vector<int32_t> target = moves.as<int32_t>("target");
  const std::vector<float> x = moves.as<float>("x");

  // Decodes every input under every executor; keeps(row): whether the option launches it; angles: what it then flies.
  template <class K>
  void check(const DecodeOptions& options, K keeps, const std::vector<double>& angles) {
    for (size_t i = 0; i < case_index.size(); ++i) {
      const FeatureCase c = cases.load(case_index[i]);
      Orders out;
      DecodeScratch scratch;
      on_every_executor([&](const auto& lanes, const char* name) {
        lanes.once([&] { out = Orders(); });
        decode(lanes, c.game, c.seat, &target[i * kFeatureSlots], &x[i * kFeatureSlots], options, scratch, out.row());
        lanes.once([&] {
          int k = 0;
          for (int r = at[i]; r < at[i + 1]; ++r) {
            if (!keeps(r)) continue;
            ASSERT_LT(k, out.count) << "input " << i << ", " << name;
            EXPECT_EQ(out.from[k], rows[size_t(r) * 4 + 1]) << "input " << i << ", " << name;
            EXPECT_EQ(out.ships[k], rows[size_t(r) * 4 + 3]) << "input " << i << ", " << name;
            EXPECT_NEAR(out.angle[k], angles[size_t(r)], 1e-6) << "input " << i << ", " << name;
            ++k;
          }
          EXPECT_EQ(out.count, k) << "input " << i << ", " << name;
        });
      });
    }
  }
};

TEST_F(OriginalMoves, BearingWithSelfTargets) {
  check({.bearing_aim = true, .self_target_bearing = true}, [](int) { return true; }, moves.as<double>("moves_angle_bearing"));
}

TEST_F(OriginalMoves, BearingWithoutSelfTargets) {
  check({.bearing_aim = true}, [&](int r) { return rows[size_t(r) * 4] != rows[size_t(r) * 4 + 2]; }, moves.as<double>("moves_angle_bearing"));
}

TEST_F(OriginalMoves, Intercept) {
  const auto ok = moves.as<int>("moves_intercept_ok");
  check({}, [&](int r) { return ok[size_t(r)] != 0; }, moves.as<double>("moves_angle_intercept"));
}

// Boards of all kinds, every row aiming at something, many at the same planet.
TEST_F(OriginalMoves, StrictIsTheSameUnderEveryExecutor) {
  int launches = 0;
  for (int i = 0; i < cases.count(); i += 2) {
    const FeatureCase c = cases.load(i);
    Action a;
    for (int k = 0; k < kFeatureSlots; ++k) {
      a.target[size_t(k)] = (k * k + i) % 11;
      a.x[size_t(k)] = float(k % 5);
    }
    const Orders expected = orders_of(c.game, c.seat, a, {.strict = true});
    launches += expected.count;
    Orders out;
    DecodeScratch scratch;
    on_every_executor([&](const auto& lanes, const char* name) {
      lanes.once([&] { out = Orders(); });
      decode(lanes, c.game, c.seat, a.target.data(), a.x.data(), {.strict = true}, scratch, out.row());
      lanes.once([&] {
        ASSERT_EQ(out.count, expected.count) << "case " << i << ", " << name;
        for (int k = 0; k < out.count; ++k) {
          EXPECT_EQ(out.from[k], expected.from[k]) << "case " << i << ", " << name;
          EXPECT_EQ(out.ships[k], expected.ships[k]) << "case " << i << ", " << name;
          EXPECT_EQ(out.angle[k], expected.angle[k]) << "case " << i << ", " << name;
        }
      });
    });
  }
  EXPECT_GT(launches, 50);
}

// Three planets on a line far from the sun: 0 and 1 of seat 0, 2 of seat 1; 3 has no ships.
class ThreePlanets : public ::testing::Test {
 protected:
  GameStorage storage{16, kExplicitPaths};
  Game g = storage.view();
  Action a;

  void SetUp() override {
    *storage.board().omega = 0.03;
    g.now->planet_count = 4;
    const int owner[] = {0, 0, 1, 0}, ships[] = {100, 40, 12, 0};
    const double x[] = {5, 35, 65, 95};
    for (int i = 0; i < 4; ++i) {
      g.planets.id[i] = 10 + i;
      g.planets.owner[i] = owner[i];
      g.planets.ships[i] = ships[i];
      g.planets.x[i] = x[i];
      g.planets.y[i] = 90;
      g.planets.radius[i] = 2;
    }
  }
  void aim(int from, int to, double ships) {
    a.target[size_t(from)] = to;
    a.x[size_t(from)] = float(std::log1p(ships));
  }
  void add_fleet(int owner, int ships, double x, double angle) {
    const int k = g.now->fleet_count++;
    g.fleets.owner[k] = owner;
    g.fleets.ships[k] = ships;
    g.fleets.x[k] = x;
    g.fleets.y[k] = 90;
    g.fleets.angle[k] = angle;
    g.fleets.dx[k] = std::cos(angle);
    g.fleets.dy[k] = std::sin(angle);
  }
};

TEST_F(ThreePlanets, ShipsAreRoundedAndCutToTheGarrison) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const std::vector<std::pair<double, int>> wanted = {{-3, 1}, {0, 1}, {std::log1p(6.4), 6}, {std::log1p(6.6), 7}, {std::log1p(99.7), 100},
                                                      {30, 100}, {inf, 100}, {-inf, 1}, {nan, 1}};
  for (const auto& [x, ships] : wanted) {
    a.target[0] = 2;
    a.x[0] = float(x);
    const Orders out = orders_of(g, 0, a, {});
    ASSERT_EQ(out.count, 1);
    EXPECT_EQ(out.ships[0], ships) << x;
    EXPECT_EQ(out.from[0], 10);
    EXPECT_NEAR(out.angle[0], 0.0, 1e-12);
  }
}

TEST_F(ThreePlanets, RowsThatLaunchNothing) {
  a.target = {kNoOpTarget, 7, 0, 2};  // no-op, no such planet, somebody else's planet, no ships
  a.target.resize(kFeatureSlots, 0);
  std::fill(a.x.begin(), a.x.end(), 2.0f);
  EXPECT_EQ(orders_of(g, 0, a, {}).count, 0);
  EXPECT_EQ(orders_of(g, 0, a, {.strict = true}).count, 0);
  a.target[0] = -1;
  EXPECT_EQ(orders_of(g, 0, a, {}).count, 0);
}

TEST_F(ThreePlanets, CapacityIsRespected) {
  aim(0, 2, 10);
  aim(1, 2, 10);
  Orders out;
  DecodeScratch scratch;
  decode(Serial{}, g, 0, a.target.data(), a.x.data(), {}, scratch, out.row(1));
  EXPECT_EQ(out.count, 1);
  EXPECT_EQ(out.from[0], 10);
}

TEST_F(ThreePlanets, StrictSendsWhatIsNeededInSlotOrder) {
  aim(0, 2, 1);  // 12 + 1 are needed
  aim(1, 2, 30);
  Orders out = orders_of(g, 0, a, {.strict = true});
  ASSERT_EQ(out.count, 1);  // the first covers the need, the second is not needed
  EXPECT_EQ(out.ships[0], 13);

  g.planets.ships[2] = 120;  // the first is short and launches all the same, the second fills up
  out = orders_of(g, 0, a, {.strict = true});
  ASSERT_EQ(out.count, 2);
  EXPECT_EQ(out.ships[0], 100);
  EXPECT_EQ(out.ships[1], 30);
  aim(1, 2, 3);
  EXPECT_EQ(orders_of(g, 0, a, {.strict = true}).ships[1], 21);
}

TEST_F(ThreePlanets, StrictCountsFleetsThatMeetTheTargetFirst) {
  aim(1, 2, 5);
  add_fleet(0, 8, 50, 0);
  EXPECT_EQ(orders_of(g, 0, a, {.strict = true}).ships[0], 5);
  add_fleet(0, 5, 50, 0);
  EXPECT_EQ(orders_of(g, 0, a, {.strict = true}).count, 0);
  g.fleets.x[1] = 20;  // planet 1 is in its way
  EXPECT_EQ(orders_of(g, 0, a, {.strict = true}).count, 1);
  g.fleets.x[1] = 50;
  g.fleets.owner[1] = 1;  // somebody else's do not count
  EXPECT_EQ(orders_of(g, 0, a, {.strict = true}).count, 1);
}

TEST_F(ThreePlanets, StrictReinforcesAnOwnPlanetWithinReason) {
  aim(0, 1, 2);
  EXPECT_EQ(orders_of(g, 0, a, {.strict = true}).ships[0], 5);
  add_fleet(0, 80, 20, 0);
  EXPECT_EQ(orders_of(g, 0, a, {.strict = true}).count, 1);
  add_fleet(0, 1, 20, 0);
  EXPECT_EQ(orders_of(g, 0, a, {.strict = true}).count, 0);
}

}  // namespace
}  // namespace orbit

#include "envs/orbit_wars/features.h"
#include <gtest/gtest.h>
#include <cmath>
#include <memory>
#include <random>
#include "envs/orbit_wars/game_storage.h"
#include "src/parity/feature_cases.h"
#include "tests/support/executors.h"
#include "tests/support/fresh_seed.h"

namespace orbit {
namespace {

struct Observed {
  float planets[kFeatureSlots * kPlanetFeatures], globals[kGlobalFeatures];
  uint8_t valid[kFeatureSlots], mine[kFeatureSlots];
  ObservationRow row() { return {planets, globals, valid, mine}; }
};

template <class L>
void look(const L& lanes, const Game& g, int seat, const FeatureOptions& options, FeatureScratch& scratch, Observed& out) {
  prepare(lanes, g, options, scratch);
  observe(lanes, g, seat, options, scratch, out.row());
}

double compare(const float* got, const std::vector<float>& want, int columns, const std::string& what) {
  double worst = 0;
  for (size_t k = 0; k < want.size(); ++k) {
    const double off = std::fabs(double(got[k]) - double(want[k]));
    if (!(off <= 1e-5))
      ADD_FAILURE() << what << " row " << int(k) / columns << " column " << int(k) % columns << ": got " << got[k] << ", expected " << want[k];
    worst = std::max(worst, off);
  }
  return worst;
}

TEST(Features, MeetTheOriginalsFigures) {
  const FeatureCases cases(ORBIT_TEST_DATA "/features/cases.npz");
  ASSERT_EQ(cases.count(), 183);
  const FeatureOptions options{HistoryMode::kFull, true};
  double worst = 0;
  for (int i = 0; i < cases.count() && !HasFailure(); ++i) {
    const FeatureCase c = cases.load(i);
    const auto scratch = std::make_unique<FeatureScratch>();
    Observed out;
    on_every_executor([&](const auto& lanes, const char* name) {
      lanes.once([&] { std::fill_n(reinterpret_cast<char*>(&out), sizeof out, char(0x77)); });
      look(lanes, c.game, c.seat, options, *scratch, out);
      lanes.once([&] {
        const std::string what = "case " + std::to_string(i) + " (" + c.kind + ", " + name + ")";
        worst = std::max(worst, compare(out.planets, c.planets, kPlanetFeatures, what));
        worst = std::max(worst, compare(out.globals, c.globals, kGlobalFeatures, what + " globals"));
        for (int k = 0; k < kFeatureSlots; ++k)
          if (out.valid[k] != c.valid[size_t(k)] || out.mine[k] != c.mine[size_t(k)]) ADD_FAILURE() << what << ": mask of slot " << k;
      });
    });
  }
  std::printf("largest difference of 183 cases: %g\n", worst);
}

TEST(Features, HistoryModesHideWhatOldTrainingNeverSaw) {
  const FeatureCases cases(ORBIT_TEST_DATA "/features/cases.npz");
  const auto scratch = std::make_unique<FeatureScratch>();
  Serial lanes;
  int changes = 0, launches = 0;
  for (int i = 0; i < 40; ++i) {
    const FeatureCase c = cases.load(i);
    Observed full, snapshots, none;
    look(lanes, c.game, c.seat, {HistoryMode::kFull, true}, *scratch, full);
    look(lanes, c.game, c.seat, {HistoryMode::kSnapshots, true}, *scratch, snapshots);
    look(lanes, c.game, c.seat, {HistoryMode::kNone, true}, *scratch, none);
    for (int k = 0; k < kFeatureSlots; ++k)
      for (int column = 0; column < kPlanetFeatures; ++column) {
        const int at = k * kPlanetFeatures + column;
        const bool remembered = column == kColChange2 || column == kColChange3 || column == kColOwnerChanged;
        EXPECT_EQ(snapshots.planets[at], full.planets[at]);
        EXPECT_EQ(none.planets[at], remembered ? 0.0f : full.planets[at]);
        changes += remembered && full.planets[at] != 0;
      }
    for (int column = 0; column < kGlobalFeatures; ++column) {
      const float want = column >= kGlobEnemyLaunches ? 0.0f : full.globals[column];
      EXPECT_EQ(snapshots.globals[column], want);
      EXPECT_EQ(none.globals[column], want);
      launches += column >= kGlobEnemyLaunches && full.globals[column] != 0;
    }
  }
  EXPECT_GT(changes, 100);
  EXPECT_GT(launches, 20);
}

TEST(Features, EnemyLaunchesAreHiddenFromAPlayer) {
  const FeatureCases cases(ORBIT_TEST_DATA "/features/cases.npz");
  const auto scratch = std::make_unique<FeatureScratch>();
  int seen = 0;
  for (int i = 139; i < cases.count(); ++i) {
    const FeatureCase c = cases.load(i);
    Observed all, own;
    look(Serial{}, c.game, c.seat, {HistoryMode::kFull, true}, *scratch, all);
    look(Serial{}, c.game, c.seat, {HistoryMode::kFull, false}, *scratch, own);
    seen += all.globals[kGlobEnemyLaunches] > 0;
    EXPECT_EQ(own.globals[kGlobEnemyLaunches], 0.0f);
    EXPECT_EQ(own.globals[kGlobEnemyLaunchShips], 0.0f);
    EXPECT_EQ(own.globals[kGlobOwnLaunchShips], all.globals[kGlobOwnLaunchShips]);
  }
  EXPECT_GT(seen, 10);
}

// On the board and far off it, with rays that graze the disc and fleets at its rim and at the edge of the range.
TEST(Features, TheCheapTestOfARayMissesNothing) {
  std::mt19937_64 random(fresh_seed());
  const auto uniform = [&](double from, double to) { return std::uniform_real_distribution<double>(from, to)(random); };
  const GameStorage storage(16, kBoardWaves);
  const Game g = storage.view();
  int met = 0, passed = 0;
  for (int n = 0; n < 200000; ++n) {
    const double size = n % 2 ? 100 : 999, way = std::pow(10.0, uniform(-2, std::log10(size))), heading = uniform(0, 2 * M_PI);
    const double radius = planet_radius(1 + n % 5), speed = uniform(1, 6), near_rim = std::pow(10.0, uniform(-12, 0));
    const double off = n % 3 ? radius - near_rim : kThreatRange - near_rim;  // of the centre from the line of flight
    const double c = std::cos(heading), s = std::sin(heading);
    g.planets.x[0] = uniform(-size, size);
    g.planets.y[0] = uniform(-size, size);
    g.planets.radius[0] = radius;
    g.fleets.x[0] = g.planets.x[0] - way * c - off * s;
    g.fleets.y[0] = g.planets.y[0] - way * s + off * c;
    if (std::fabs(g.fleets.x[0]) >= 1000 || std::fabs(g.fleets.y[0]) >= 1000) continue;
    g.fleets.dx[0] = speed * c;
    g.fleets.dy[0] = speed * s;
    const double dx = g.planets.x[0] - g.fleets.x[0], dy = g.planets.y[0] - g.fleets.y[0];
    const RayTest ray(g, 0);
    const bool meets = ray_distance(g, 0, 0) >= 0, within = dx * dx + dy * dy <= kThreatRange * kThreatRange;
    EXPECT_LE(meets, ray.may_meet(0)) << "fleet " << g.fleets.x[0] << " " << g.fleets.y[0] << ", " << way << " away, " << near_rim;
    EXPECT_LE(within, ray.may_be_within(kThreatRange, 0));
    met += meets;
    passed += ray.may_meet(0);
  }
  EXPECT_GT(met, 50000);
  EXPECT_LT(passed, met + 30000);
}

}  // namespace
}  // namespace orbit

#include "src/parity/features_check.h"
#include <filesystem>
#include "envs/orbit_wars/decode.h"
#include "src/parity/feature_cases.h"

namespace orbit {
namespace {
constexpr double kFeatureGap = 1e-5, kAimGap = 1e-6;

void check_cases(const FeatureCases& cases, std::vector<Comparison>& all) {
  Comparison planets("planets", kFeatureGap), globals("globals", kFeatureGap), valid("valid"), mine("mine");
  const auto scratch = std::make_unique<FeatureScratch>();
  const FeatureOptions options{HistoryMode::kFull, true};
  std::vector<float> got(kFeatureSlots * kPlanetFeatures), got_globals(kGlobalFeatures);
  std::vector<uint8_t> got_valid(kFeatureSlots), got_mine(kFeatureSlots);
  for (int i = 0; i < cases.count(); ++i) {
    const FeatureCase c = cases.load(i);
    prepare(Serial{}, c.game, options, *scratch);
    observe(Serial{}, c.game, c.seat, options, *scratch, {got.data(), got_globals.data(), got_valid.data(), got_mine.data()});
    const auto compare = [&](Comparison& tensor, const auto& found, const auto& expected, size_t columns) {
      for (size_t k = 0; k < expected.size(); ++k)
        tensor.value(found[k], expected[k], [&] {
          return "case " + std::to_string(i) + " (" + c.kind + ") row " + std::to_string(k / columns) + " column " +
                 std::to_string(k % columns);
        });
    };
    compare(planets, got, c.planets, kPlanetFeatures);
    compare(globals, got_globals, c.globals, kGlobalFeatures);
    compare(valid, got_valid, c.valid, 1);
    compare(mine, got_mine, c.mine, 1);
  }
  all.insert(all.end(), {planets, globals, valid, mine});
}

void check_aims(const AimCases& cases, std::vector<Comparison>& all) {
  Comparison answered("aim.ok"), turns("aim.turns"), angle("aim.angle", kAimGap), place("aim.place", kAimGap);
  for (int i = 0; i < cases.count(); ++i) {
    const AimCase c = cases.load(i);
    const Aim aim = intercept(c.game, 0, 1, c.ships);
    const auto where = [&] { return "query " + std::to_string(i) + " (" + c.branch + ")"; };
    answered.value(aim.ok, c.ok, where);
    if (!aim.ok || !c.ok) continue;
    turns.value(aim.turns, c.turns, where);
    angle.value(aim.angle, c.angle, where);
    place.value(aim.x, c.x, where);
    place.value(aim.y, c.y, where);
  }
  all.insert(all.end(), {answered, turns, angle, place});
}

struct ExpectedMove {
  int32_t from, ships;
  double angle;
};

// One decoder against the moves of every input.
class MoveCheck {
 public:
  MoveCheck(const std::string& name, const DecodeOptions& options)
      : options_(options), sources_(name + ".sources"), ships_(name + ".ships"), angles_(name + ".angle", kAimGap) {}

  void input(int i, const FeatureCase& c, const int32_t* target, const float* x, const std::vector<ExpectedMove>& expected) {
    int32_t count = 0, from[kMaxPlanets], ships[kMaxPlanets];
    double angle[kMaxPlanets];
    DecodeScratch scratch;
    decode(Serial{}, c.game, c.seat, target, x, options_, scratch, {&count, from, ships, angle, kMaxPlanets});
    const auto where = [&] { return "input " + std::to_string(i); };
    sources_.value(count, double(expected.size()), [&] { return where() + " launches"; });
    for (int k = 0; k < count && k < int(expected.size()); ++k) {
      sources_.value(from[k], expected[size_t(k)].from, where);
      ships_.value(ships[k], expected[size_t(k)].ships, where);
      angles_.value(angle[k], expected[size_t(k)].angle, where);
    }
  }
  void report(std::vector<Comparison>& all) const { all.insert(all.end(), {sources_, ships_, angles_}); }

 private:
  DecodeOptions options_;
  Comparison sources_, ships_, angles_;
};

// Rows of input i: source slot, source id, target slot, ships. keeps(row): whether this decoder launches it.
template <class K>
std::vector<ExpectedMove> expected_moves(const std::vector<int32_t>& rows, const std::vector<int>& at,
                                         const std::vector<double>& angles, int i, K keeps) {
  std::vector<ExpectedMove> out;
  for (int r = at[size_t(i)]; r < at[size_t(i) + 1]; ++r)
    if (keeps(r)) out.push_back({rows[size_t(r) * 4 + 1], rows[size_t(r) * 4 + 3], angles[size_t(r)]});
  return out;
}

void check_moves(const FeatureCases& cases, const Npz& moves, std::vector<Comparison>& all) {
  const auto index = moves.as<int>("case_index"), at = moves.as<int>("moves_at"), ok = moves.as<int>("moves_intercept_ok");
  const auto rows = moves.as<int32_t>("moves"), target = moves.as<int32_t>("target");
  const auto x = moves.as<float>("x");
  const auto bearing = moves.as<double>("moves_angle_bearing"), aimed = moves.as<double>("moves_angle_intercept");
  const bool strict = moves.has("strict");
  const auto strict_rows = strict ? moves.as<int32_t>("strict") : rows;
  const auto strict_at = strict ? moves.as<int>("strict_at") : at;
  const auto strict_angle = strict ? moves.as<double>("strict_angle") : aimed;
  MoveCheck by_bearing("decode.bearing", {.bearing_aim = true, .self_target_bearing = true}), by_aim("decode.intercept", {}),
      by_strict("decode.strict", {.strict = true});
  for (int i = 0; i < int(index.size()); ++i) {
    const FeatureCase c = cases.load(index[size_t(i)]);
    const int32_t* t = &target[size_t(i) * kFeatureSlots];
    const float* ships = &x[size_t(i) * kFeatureSlots];
    by_bearing.input(i, c, t, ships, expected_moves(rows, at, bearing, i, [](int) { return true; }));
    by_aim.input(i, c, t, ships, expected_moves(rows, at, aimed, i, [&](int r) { return ok[size_t(r)] != 0; }));
    if (!strict) continue;
    by_strict.input(i, c, t, ships, expected_moves(strict_rows, strict_at, strict_angle, i, [](int) { return true; }));
  }
  by_bearing.report(all);
  by_aim.report(all);
  if (strict) by_strict.report(all);
}
}  // namespace

std::vector<Comparison> check_features(const std::string& folder) {
  std::vector<Comparison> all;
  const FeatureCases cases(folder + "/cases.npz");
  check_cases(cases, all);
  if (std::filesystem::exists(folder + "/aim.npz")) check_aims(AimCases(folder + "/aim.npz"), all);
  if (std::filesystem::exists(folder + "/moves.npz")) check_moves(cases, Npz(folder + "/moves.npz"), all);
  return all;
}

}  // namespace orbit

// The feature and aim fixtures (tests/data/features/README.md) as games of ours.
#pragma once
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <vector>
#include "envs/orbit_wars/features.h"
#include "envs/orbit_wars/game_storage.h"
#include "envs/orbit_wars/geometry.h"
#include "src/parity/npz.h"

namespace orbit {

constexpr int kExplicitPaths = kMaxWaves * kWaveMembers;

struct FeatureCase {
  std::string kind;
  int seat;
  std::unique_ptr<GameStorage> storage;
  Game game;
  std::vector<float> planets, globals;     // expected
  std::vector<uint8_t> valid, mine;
};

// All cases of a cases.npz. An observation becomes a state: a planet's kind is what decides its prediction.
class FeatureCases {
 public:
  explicit FeatureCases(const std::string& path) : npz_(path), names_(npz_.at("kind_names").strings()) {}

  int count() const { return int(npz_.at("step").shape[0]); }
  FeatureCase load(int i) const;

 private:
  struct Rows {
    std::vector<double> values;
    int columns;
    int count() const { return int(values.size()) / columns; }
    double at(int row, int column) const { return values[size_t(row * columns + column)]; }
    int whole(int row, int column) const { return int(at(row, column)); }
    int find(int column, double value) const {
      for (int r = 0; r < count(); ++r)
        if (at(r, column) == value) return r;
      return -1;
    }
  };
  Rows rows(const std::string& name, int i) const {
    const NpyArray& a = npz_.at(name);
    const auto at = npz_.as<int64_t>(name + "_at");
    const auto all = a.as<double>();
    const int64_t c = a.columns();
    return {{all.begin() + at[size_t(i)] * c, all.begin() + at[size_t(i) + 1] * c}, int(c)};
  }
  template <class T>
  std::vector<T> expected(const std::string& name, int i, int size) const {
    const auto all = npz_.as<T>(name);
    return {all.begin() + int64_t(i) * size, all.begin() + int64_t(i + 1) * size};
  }
  // A made-up file may hold more than our arrays do.
  static void need(bool fits, const std::string& what) {
    if (!fits) throw UserError("cases.npz: " + what);
  }
  void load_comets(int i, GameStorage& s) const;
  void load_planets(int i, Game& g) const;
  void load_fleets(int i, Game& g) const;
  void load_history(int i, Game& g) const;

  Npz npz_;
  std::vector<std::string> names_;
};

inline FeatureCase FeatureCases::load(int i) const {
  const int fleets = std::max(16, (rows("fleets", i).count() + 15) / 16 * 16);
  FeatureCase c;
  c.storage = std::make_unique<GameStorage>(fleets, kExplicitPaths);
  c.kind = names_[npz_.as<size_t>("kind")[size_t(i)]];
  c.seat = npz_.as<int>("player")[size_t(i)];
  c.game = c.storage->view();
  *c.storage->board().omega = npz_.as<double>("omega")[size_t(i)];
  c.game.now->step = npz_.as<int32_t>("step")[size_t(i)];
  load_comets(i, *c.storage);
  load_planets(i, c.game);
  load_fleets(i, c.game);
  load_history(i, c.game);
  c.planets = expected<float>("out_planet", i, kFeatureSlots * kPlanetFeatures);
  c.globals = expected<float>("out_global", i, kGlobalFeatures);
  c.valid = expected<uint8_t>("out_valid", i, kFeatureSlots);
  c.mine = expected<uint8_t>("out_mine", i, kFeatureSlots);
  return c;
}

inline void FeatureCases::load_comets(int i, GameStorage& s) const {
  const Rows comets = rows("comets", i);
  std::vector<int> members(kMaxWaves, 0);
  for (int r = 0; r < comets.count(); ++r) {
    const int wave = comets.whole(r, 0);
    need(wave >= 0 && wave < kMaxWaves && members[size_t(wave)] < kWaveMembers, "more comets than games have");
    const int q = wave * kWaveMembers + members[size_t(wave)]++;
    const Rows path = rows("paths", comets.whole(r, 3));
    need(path.count() <= kMaxPath, "a comet path of more than " + std::to_string(kMaxPath) + " points");
    s.view().now->wave_index[wave] = comets.whole(r, 2);
    s.board().path_length[q] = path.count();
    for (int k = 0; k < path.count(); ++k) {
      s.board().path_x[q * kMaxPath + k] = path.at(k, 0);
      s.board().path_y[q * kMaxPath + k] = path.at(k, 1);
    }
  }
}

inline void FeatureCases::load_planets(int i, Game& g) const {
  const Rows planets = rows("planets", i), first = rows("initial_planets", i), comets = rows("comets", i),
             listed = rows("comet_planet_ids", i);
  need(planets.count() <= kMaxPlanets, "more than " + std::to_string(kMaxPlanets) + " planets");
  Planets& p = g.planets;
  g.now->planet_count = planets.count();
  for (int k = 0; k < planets.count(); ++k) {
    const double id = planets.at(k, 0);
    p.id[k] = int(id);
    p.owner[k] = planets.whole(k, 1);
    p.x[k] = planets.at(k, 2);
    p.y[k] = planets.at(k, 3);
    p.radius[k] = planets.at(k, 4);
    p.ships[k] = planets.whole(k, 5);
    p.production[k] = planets.whole(k, 6);
    p.kind[k] = kFixed;
    const int row = first.find(0, id), member = comets.find(1, id);
    if (listed.find(0, id) >= 0) {
      p.kind[k] = member >= 0 ? kComet : kInert;
      if (member < 0) continue;
      const double wave = comets.at(member, 0);
      p.path[k] = int(wave) * kWaveMembers + member - comets.find(0, wave);
    } else if (row >= 0) {
      const double orbit = distance(first.at(row, 2), first.at(row, 3), kCentre, kCentre);
      if (orbit + first.at(row, 4) < kRotationLimit) {
        p.kind[k] = kOrbiting;
        p.orbit[k] = orbit;
      }
    }
  }
}

inline void FeatureCases::load_fleets(int i, Game& g) const {
  const Rows fleets = rows("fleets", i);
  Fleets& f = g.fleets;
  g.now->fleet_count = fleets.count();
  for (int k = 0; k < fleets.count(); ++k) {
    f.id[k] = fleets.whole(k, 0);
    f.owner[k] = fleets.whole(k, 1);
    f.x[k] = fleets.at(k, 2);
    f.y[k] = fleets.at(k, 3);
    f.angle[k] = fleets.at(k, 4);
    f.from[k] = fleets.whole(k, 5);
    f.ships[k] = fleets.whole(k, 6);
    const double speed = fleet_speed(std::max(1, f.ships[k]), kDefaultShipSpeed);
    f.dx[k] = std::cos(f.angle[k]) * speed;
    f.dy[k] = std::sin(f.angle[k]) * speed;
  }
}

// Snapshots of a file count from the oldest. Made-up launches may lie before the game's start.
inline void FeatureCases::load_history(int i, Game& g) const {
  History& h = g.history;
  std::fill_n(h.snapshot_id, kSnapshots * kMaxPlanets, -1);
  const int count = npz_.as<int>("snapshot_count")[size_t(i)];
  g.now->snapshot_count = count;
  std::vector<int> used(kSnapshots, 0);
  const Rows snapshots = rows("snapshots", i), launches = rows("launches", i);
  for (int r = 0; r < snapshots.count(); ++r) {
    const int back = count - snapshots.whole(r, 0), at = snapshot_start(g, back) + used[size_t(back - 1)]++;
    h.snapshot_id[at] = snapshots.whole(r, 1);
    h.snapshot_owner[at] = snapshots.whole(r, 2);
    h.snapshot_ships[at] = snapshots.whole(r, 3);
  }
  std::fill_n(h.launch_step, kLaunchTurns, g.now->step - kLaunchTurns);
  for (int r = 0; r < launches.count(); ++r) {
    const int step = launches.whole(r, 0), seat = launches.whole(r, 1);
    if (step < g.now->step - kLaunchMemory || seat == kNeutral) continue;  // forgotten by the ring; nobody's count nowhere
    const int slot = (step % kLaunchTurns + kLaunchTurns) % kLaunchTurns;
    h.launch_step[slot] = step;
    h.launch_count[slot * kMaxSeats + seat] += 1;
    h.launch_ships[slot * kMaxSeats + seat] += launches.whole(r, 2);
  }
}

// One aim query as a game of two planets.
struct AimCase {
  std::string branch;
  std::unique_ptr<GameStorage> storage;
  Game game;
  int32_t ships;
  bool ok;
  int32_t turns;
  double angle, x, y;  // expected, where ok
};

class AimCases {
 public:
  explicit AimCases(const std::string& path)
      : npz_(path), real_(npz_.as<double>("real")), whole_(npz_.as<int32_t>("whole")), paths_(npz_.as<double>("paths")),
        out_(npz_.as<double>("out_real")), paths_at_(npz_.as<int>("paths_at")), turns_(npz_.as<int32_t>("out_turns")),
        ok_(npz_.as<uint8_t>("out_ok")), branch_(npz_.as<int>("branch")), names_(npz_.at("branch_names").strings()) {}
  int count() const { return int(ok_.size()); }
  AimCase load(int i) const;

 private:
  Npz npz_;
  std::vector<double> real_;
  std::vector<int32_t> whole_;
  std::vector<double> paths_, out_;
  std::vector<int> paths_at_;
  std::vector<int32_t> turns_;
  std::vector<uint8_t> ok_;
  std::vector<int> branch_;
  std::vector<std::string> names_;
};

inline AimCase AimCases::load(int i) const {
  const double *r = &real_[size_t(i) * 10], *out = &out_[size_t(i) * 3];
  const int32_t* w = &whole_[size_t(i) * 5];
  AimCase c{names_[size_t(branch_[size_t(i)])], std::make_unique<GameStorage>(16, kExplicitPaths), {}, w[0],
            ok_[size_t(i)] != 0, turns_[size_t(i)], out[0], out[1], out[2]};
  c.game = c.storage->view();
  Planets& p = c.game.planets;
  for (int k = 0; k < 2; ++k) {
    p.x[k] = r[3 * k];
    p.y[k] = r[3 * k + 1];
    p.radius[k] = r[3 * k + 2];
  }
  c.game.now->planet_count = 2;
  *c.storage->board().omega = r[9];
  const double orbit = distance(r[6], r[7], kCentre, kCentre);
  if (w[2]) {
    p.kind[1] = w[3] >= 0 ? kComet : kInert;
    c.game.now->wave_index[0] = w[4];
    const int first = w[3] < 0 ? 0 : paths_at_[size_t(w[3])], end = w[3] < 0 ? 0 : paths_at_[size_t(w[3]) + 1];
    c.storage->board().path_length[0] = end - first;
    for (int k = first; k < end; ++k) {
      c.storage->board().path_x[k - first] = paths_[size_t(k) * 2];
      c.storage->board().path_y[k - first] = paths_[size_t(k) * 2 + 1];
    }
  } else if (w[1] && orbit + r[8] < kRotationLimit) {
    p.kind[1] = kOrbiting;
    p.orbit[1] = orbit;
  }
  return c;
}

}  // namespace orbit

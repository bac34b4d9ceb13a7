#include "src/parity/hand_made_state.h"
#include <algorithm>
#include <set>
#include "envs/orbit_wars/geometry.h"
#include "src/common/error.h"

namespace orbit {
namespace {

[[noreturn]] void refuse(const Trace& trace, const std::string& what) {
  throw UserError(trace.file + ": " + trace.name + ": init: " + what);
}

bool listed(const std::vector<int32_t>& ids, int32_t id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); }

template <class Rows>
void check_unique_ids(const Trace& trace, const Rows& rows, const std::string& what) {
  std::set<int32_t> seen;
  for (const auto& row : rows)
    if (!seen.insert(row.id).second) refuse(trace, "two " + what + " have the id " + std::to_string(row.id));
}

bool waves_to_come(const StartState& start) { return start.step + 1 <= kWaveSteps[kBoardWaves - 1]; }

void check_groups(const Trace& trace) {
  const StartState& start = trace.start;
  if (start.comets.size() > kMaxWaves - kBoardWaves)
    refuse(trace, "at most " + std::to_string(kMaxWaves - kBoardWaves) + " comet groups fit");
  std::set<int32_t> members;
  for (const CometGroup& group : start.comets) {
    if (group.ids.empty() || group.ids.size() > kWaveMembers) refuse(trace, "a comet group has 1 to 4 planet_ids");
    if (group.paths.size() != group.ids.size()) refuse(trace, "a comet group has one path a planet id");
    for (const auto& path : group.paths) {
      if (path.size() > kMaxPath) refuse(trace, "a comet path has at most " + std::to_string(kMaxPath) + " points");
      // The official game loses track of whose path is whose once one member leaves before the others.
      if (path.size() != group.paths[0].size()) refuse(trace, "the paths of a comet group are of one length");
    }
    for (int32_t id : group.ids) {
      if (!members.insert(id).second) refuse(trace, "comet " + std::to_string(id) + " is in two places of the groups");
      if (!listed(start.comet_planet_ids, id)) refuse(trace, "comet " + std::to_string(id) + " is not in comet_planet_ids");
    }
  }
}

void check(const Trace& trace, int max_fleets) {
  const StartState& start = trace.start;
  const size_t room = kMaxPlanets - (waves_to_come(start) ? kWaveMembers : 0);
  if (start.planets.empty()) refuse(trace, "has no planets, from which the official game makes a new board");
  if (start.planets.size() > room) refuse(trace, "at most " + std::to_string(room) + " planets fit");
  if (start.fleets.size() > size_t(max_fleets)) refuse(trace, "at most " + std::to_string(max_fleets) + " fleets fit");
  check_unique_ids(trace, start.planets, "planets");
  check_unique_ids(trace, start.fleets, "fleets");
  check_groups(trace);
  int64_t ships = 0, production = 0;
  for (const PlanetRow& p : start.planets) {
    if (p.owner >= trace.seats) refuse(trace, "planet " + std::to_string(p.id) + " belongs to a seat that does not play");
    ships += p.ships;
    production += p.production;
  }
  for (const FleetRow& f : start.fleets) {
    if (f.owner >= trace.seats) refuse(trace, "fleet " + std::to_string(f.id) + " belongs to a seat that does not play");
    ships += f.ships;
  }
  if (ships + production * int64_t(trace.turns.size()) > INT32_MAX / 2) refuse(trace, "more ships than 32-bit counts can hold");
}

// A comet follows its path, an orbiting planet the place that its row of initial_planets gives it at angle 0.
void set_motion(const Trace& trace, const PlanetRow& row, Planets& p, int i) {
  const StartState& start = trace.start;
  p.kind[i] = kFixed;
  if (listed(start.comet_planet_ids, row.id)) {
    p.kind[i] = kInert;
    for (size_t w = 0; w < start.comets.size(); ++w)
      for (size_t m = 0; m < start.comets[w].ids.size(); ++m)
        if (start.comets[w].ids[m] == row.id) {
          p.kind[i] = kComet;
          p.path[i] = int32_t(w * kWaveMembers + m);
        }
    return;
  }
  for (const PlanetRow& first : start.initial_planets) {
    if (first.id != row.id) continue;
    const double dx = first.x - kCentre, dy = first.y - kCentre, orbit = distance(dx, dy, 0, 0);
    if (orbit + row.radius >= kRotationLimit) return;
    p.kind[i] = kOrbiting;
    p.arm_x[i] = dx;
    p.arm_y[i] = dy;
    p.orbit[i] = orbit;
    p.phase[i] = atan2(dy, dx);
    return;
  }
}

void set_planets(const Trace& trace, Game& g) {
  Planets& p = g.planets;
  g.now->planet_count = int32_t(trace.start.planets.size());
  for (int i = 0; i < kMaxPlanets; ++i) p.owner[i] = kNeutral;
  for (int i = 0; i < g.now->planet_count; ++i) {
    const PlanetRow& row = trace.start.planets[size_t(i)];
    p.id[i] = row.id;
    p.owner[i] = row.owner;
    p.ships[i] = row.ships;
    p.production[i] = row.production;
    p.x[i] = row.x;
    p.y[i] = row.y;
    p.radius[i] = row.radius;
    set_motion(trace, row, p, i);
  }
}

void set_fleets(const Trace& trace, Game& g) {
  Fleets& f = g.fleets;
  g.now->fleet_count = int32_t(trace.start.fleets.size());
  for (int i = 0; i < g.now->fleet_count; ++i) {
    const FleetRow& row = trace.start.fleets[size_t(i)];
    f.id[i] = row.id;
    f.owner[i] = row.owner;
    f.from[i] = row.from;
    f.ships[i] = row.ships;
    f.x[i] = row.x;
    f.y[i] = row.y;
    f.angle[i] = row.angle;
    const double speed = fleet_speed(row.ships, trace.ship_speed);
    f.dx[i] = cosine(row.angle) * speed;
    f.dy[i] = sine(row.angle) * speed;
  }
}

void set_flying_comets(const StartState& start, Game& g, const BoardArrays& board) {
  for (size_t w = 0; w < start.comets.size(); ++w) {
    const CometGroup& group = start.comets[w];
    g.now->wave_members[w] = (1 << group.ids.size()) - 1;
    g.now->wave_index[w] = group.path_index;
    for (size_t m = 0; m < group.paths.size(); ++m) {
      const size_t row = w * kWaveMembers + m;
      board.path_length[row] = int32_t(group.paths[m].size());
      for (size_t k = 0; k < group.paths[m].size(); ++k) {
        board.path_x[row * kMaxPath + k] = group.paths[m][k].x;
        board.path_y[row * kMaxPath + k] = group.paths[m][k].y;
      }
    }
  }
}

void set_coming_waves(const Trace& trace, const BoardArrays& board) {
  const StartState& start = trace.start;
  std::vector<Obstacle> obstacles;
  for (const PlanetRow& p : start.initial_planets)
    if (!listed(start.comet_planet_ids, p.id)) obstacles.push_back({p.x, p.y, p.radius});
  const Seed seed(trace.seed);
  const int last = start.step + int(trace.turns.size());
  int slot = int(start.comets.size());
  for (int step : kWaveSteps)
    if (step > start.step && step <= last)
      write_wave(make_wave(obstacles, start.omega, seed, step, trace.comet_speed), slot++, kMaxWaves * kWaveMembers, board);
}

}  // namespace

GameStorage hand_made_game(const Trace& trace, int max_fleets) {
  check(trace, max_fleets);
  GameStorage storage(max_fleets, kMaxWaves * kWaveMembers);
  Game g = storage.view();
  g.now->step = trace.start.step;
  g.now->next_fleet_id = trace.start.next_fleet_id;
  *storage.board().omega = trace.start.omega;
  set_planets(trace, g);
  set_fleets(trace, g);
  set_flying_comets(trace.start, g, storage.board());
  set_coming_waves(trace, storage.board());
  return storage;
}

}  // namespace orbit

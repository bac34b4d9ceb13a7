#include "src/parity/trace_compare.h"
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace orbit {
namespace {

std::string exact(double v) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", v);
  return text;
}
std::string at(const char* field, int64_t index, const char* part = "") {
  return std::string(field).append("[").append(std::to_string(index)).append("]").append(part);
}
bool same_bits(double a, double b) { return std::memcmp(&a, &b, sizeof a) == 0; }

}  // namespace

StateComparison::StateComparison(const Trace& trace) : trace_(trace) {
  std::fill(std::begin(comet_id_), std::end(comet_id_), kNoPlanet);
  for (size_t w = 0; w < trace.start.comets.size() && w < kMaxWaves; ++w)
    for (size_t m = 0; m < trace.start.comets[w].ids.size() && m < kWaveMembers; ++m)
      comet_id_[w * kWaveMembers + m] = trace.start.comets[w].ids[m];
  for (const FleetRow& f : trace.start.fleets) seen_fleets_.insert(f.id);
}

void StateComparison::begin(int32_t t) {
  t_ = t;
  equal_ = true;
  ++result_.states;
}
void StateComparison::end() { result_.mismatches += !equal_; }

void StateComparison::differ(const std::string& field, const std::string& expected, const std::string& found) {
  equal_ = false;
  if (!result_.first) result_.first = Difference{t_, field, expected, found};
}
bool StateComparison::same(const std::string& field, int64_t expected, int64_t found) {
  if (expected != found) differ(field, std::to_string(expected), std::to_string(found));
  return expected == found;
}
void StateComparison::near(const char* field, int index, double expected, double found) {
  if (same_bits(expected, found) || expected == found) return;
  const double gap = std::fabs(expected - found);
  if (!(gap <= kPositionTolerance)) return differ(at(field, index), exact(expected), exact(found));
  result_.max_gap = std::max(result_.max_gap, gap);
  result_.max_relative_gap = std::max(result_.max_relative_gap, gap / std::max(std::fabs(expected), std::fabs(found)));
}

void StateComparison::start(const Game& game) {
  const StartState& s = trace_.start;
  const Planets& p = game.planets;
  begin(0);
  same("init.step", s.step, game.now->step);
  same("init.next_fleet_id", s.next_fleet_id, game.now->next_fleet_id);
  same("init.fleets", int64_t(s.fleets.size()), game.now->fleet_count);
  same("init.comets", int64_t(s.comets.size()), 0);
  same("init.initial_planets", int64_t(s.initial_planets.size()), game.now->planet_count);
  near("init.angular_velocity", 0, s.omega, *game.board.omega);
  if (same("init.planets", int64_t(s.planets.size()), game.now->planet_count)) {
    for (int i = 0; i < game.now->planet_count; ++i) {
      const PlanetRow& row = s.planets[size_t(i)];
      same(at("init.planets", i, " id"), row.id, p.id[i]);
      same(at("init.planets", i, " owner"), row.owner, p.owner[i]);
      same(at("init.planets", i, " ships"), row.ships, p.ships[i]);
      same(at("init.planets", i, " production"), row.production, p.production[i]);
      near("init.planets x", i, row.x, p.x[i]);
      near("init.planets y", i, row.y, p.y[i]);
      near("init.planets radius", i, row.radius, p.radius[i]);
    }
  }
  end();
}

void StateComparison::turn(const Game& game, const TraceTurn& turn) {
  begin(turn.t);
  same("t", turn.t, game.now->step);
  if (game.now->refused)
    differ("fleets", "no refusal for want of room", std::to_string(game.now->refused) + " launches refused, capacity " +
                                                        std::to_string(fleet_capacity(trace_)));
  same("n", turn.next_fleet_id, game.now->next_fleet_id);
  planets(game, turn);
  fleets(game, turn);
  comets(game, turn);
  if (turn.wave) wave(game, *turn.wave);
  if (turn.has_positions && equal_) places(game, turn);
  ending(game, turn);
  end();
}

void StateComparison::planets(const Game& game, const TraceTurn& turn) {
  const Planets& p = game.planets;
  if (!same("p length", int64_t(turn.planets.size()), game.now->planet_count)) return;
  for (int i = 0; i < game.now->planet_count; ++i) {
    same(at("p", i, " id"), turn.planets[size_t(i)].id, p.id[i]);
    same(at("p", i, " owner"), turn.planets[size_t(i)].owner, p.owner[i]);
    same(at("p", i, " ships"), turn.planets[size_t(i)].ships, p.ships[i]);
    if (p.kind[i] == kComet) comet_id_[p.path[i]] = p.id[i];
  }
}

void StateComparison::fleets(const Game& game, const TraceTurn& turn) {
  const int32_t* ids = game.fleets.id;
  if (std::equal(turn.fleets.begin(), turn.fleets.end(), ids, ids + game.now->fleet_count)) return new_fleets(game, turn);
  seen_fleets_.insert(ids, ids + game.now->fleet_count);
  if (!same("f length", int64_t(turn.fleets.size()), game.now->fleet_count)) return;
  for (int i = 0; i < game.now->fleet_count; ++i) same(at("f", i), turn.fleets[size_t(i)], ids[i]);
}

// Fleets that the trace shows for the first time, in list order: those among f that were not there before.
void StateComparison::new_fleets(const Game& game, const TraceTurn& turn) {
  const Fleets& f = game.fleets;
  size_t row = 0;
  for (int i = 0; i < game.now->fleet_count; ++i) {
    if (!seen_fleets_.insert(f.id[i]).second) continue;
    if (row == turn.new_fleets.size()) return differ("new", "a row of fleet " + std::to_string(f.id[i]), "none in the trace");
    const FleetRow& n = turn.new_fleets[row];
    const int at_row = int(row++);
    same(at("new", at_row, " id"), n.id, f.id[i]);
    same(at("new", at_row, " owner"), n.owner, f.owner[i]);
    same(at("new", at_row, " from"), n.from, f.from[i]);
    same(at("new", at_row, " ships"), n.ships, f.ships[i]);
    near("new angle", at_row, n.angle, f.angle[i]);
    near("new x", at_row, n.x, f.x[i]);
    near("new y", at_row, n.y, f.y[i]);
  }
  same("new length", int64_t(turn.new_fleets.size()), int64_t(row));
}

void StateComparison::comets(const Game& game, const TraceTurn& turn) {
  size_t group = 0;
  for (int w = 0; w < kMaxWaves; ++w) {
    const uint32_t members = uint32_t(game.now->wave_members[w]);
    if (!members) continue;
    if (group == turn.comets.size()) return differ("c length", std::to_string(group), "more");
    const CometGroup& expected = turn.comets[group];
    same(at("c", int64_t(group), " path_index"), expected.path_index, game.now->wave_index[w]);
    if (same(at("c", int64_t(group), " members"), int64_t(expected.ids.size()), count_bits32(members))) {
      size_t k = 0;
      for (int m = 0; m < kWaveMembers; ++m)
        if (members >> m & 1) same(at("c", int64_t(group), " id"), expected.ids[k++], comet_id_[w * kWaveMembers + m]);
    }
    ++group;
  }
  same("c length", int64_t(turn.comets.size()), int64_t(group));
}

// The newest group of the game is the one that has come.
void StateComparison::wave(const Game& game, const CometGroup& wave) {
  int newest = -1;
  for (int w = 0; w < kMaxWaves; ++w)
    if (game.now->wave_members[w] && game.now->wave_index[w] == 0 && game.board.wave_step[w] == t_) newest = w;
  if (newest < 0) return differ("wave", "a comet wave", "none");
  if (!same("wave paths", int64_t(wave.paths.size()), kWaveMembers)) return;
  for (int m = 0; m < kWaveMembers; ++m) {
    const int q = newest * kWaveMembers + m;
    const std::vector<Point>& path = wave.paths[size_t(m)];
    if (!same(at("wave path", m, " length"), int64_t(path.size()), path_length(game.board, q))) return;
    for (int k = 0; k < int(path.size()); ++k) {
      const Point point = path_point(game.board, q, k);
      near("wave path x", k, path[size_t(k)].x, point.x);
      near("wave path y", k, path[size_t(k)].y, point.y);
    }
  }
}

// Planets that the trace gives no place for stand where the start had them.
void StateComparison::places(const Game& game, const TraceTurn& turn) {
  const Planets& p = game.planets;
  for (int i = 0; i < game.now->planet_count; ++i) {
    const auto placed =
        std::find_if(turn.planet_places.begin(), turn.planet_places.end(), [&](const auto& q) { return q.id == p.id[i]; });
    if (placed != turn.planet_places.end()) {
      near("pxy x", i, placed->x, p.x[i]);
      near("pxy y", i, placed->y, p.y[i]);
      continue;
    }
    const auto& rows = trace_.start.planets;
    const auto row = std::find_if(rows.begin(), rows.end(), [&](const auto& q) { return q.id == p.id[i]; });
    if (row == rows.end()) {
      differ(at("pxy", i), "a place of planet " + std::to_string(p.id[i]), "none in the trace");
      continue;
    }
    near("pxy x", i, row->x, p.x[i]);
    near("pxy y", i, row->y, p.y[i]);
  }
  for (int i = 0; i < game.now->fleet_count; ++i) {
    near("fxy x", i, turn.fleet_places[size_t(i)].x, game.fleets.x[i]);
    near("fxy y", i, turn.fleet_places[size_t(i)].y, game.fleets.y[i]);
  }
}

void StateComparison::ending(const Game& game, const TraceTurn& turn) {
  const char* status = game.now->terminated ? "DONE" : "ACTIVE";
  if (!same("done", turn.finished, game.now->terminated) || !turn.finished) return;
  for (int seat = 0; seat < trace_.seats; ++seat) {
    if (turn.statuses[size_t(seat)] != status) differ(at("status", seat), turn.statuses[size_t(seat)], status);
    same(at("reward", seat), turn.rewards[size_t(seat)], game.now->reward[seat]);
  }
}

}  // namespace orbit

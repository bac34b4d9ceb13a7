#include "src/parity/replay_file.h"
#include <algorithm>
#include <cstdio>
#include <set>
#include "src/common/error.h"
#include "src/parity/trace_file.h"
#include "src/parity/trace_moves.h"

namespace orbit {
namespace {
using nlohmann::json;

// Before 1.29 a fleet met a planet that stood still during the turn.
constexpr int kOldestMajor = 1, kOldestMinor = 29;

void check_version(const JsonValue& replay) {
  const std::string version = replay.at("module_version").text();
  int major = 0, minor = 0;
  if (std::sscanf(version.c_str(), "%d.%d", &major, &minor) != 2)
    replay.at("module_version").expected("a version such as 1.33.2");
  if (major < kOldestMajor || (major == kOldestMajor && minor < kOldestMinor))
    replay.at("module_version")
        .fail("recorded under older rules (" + version + "; the collision rule changed in 1.29), not comparable");
}

std::string name_of(const std::string& file) {
  const std::string base = file.substr(file.find_last_of('/') + 1);
  return base.substr(0, base.find('.'));
}

// Turns the recorded states of one replay into turns, keeping what was seen before.
class StateReader {
 public:
  StateReader(const JsonValue& steps, int seats) : steps_(steps), seats_(seats) {}

  TraceTurn turn(int t) {
    const JsonValue step = steps_.at(size_t(t));
    if (int(step.size()) != seats_) step.expected("one entry a seat");
    TraceTurn turn{};
    turn.t = t;
    for (int s = 0; s < seats_; ++s)
      if (step.at(size_t(s)).has("action")) turn.moves[s] = read_moves(step.at(size_t(s)).at("action"));
    read_state(step.at(size_t(0)).at("observation"), turn);
    read_end(step, turn);
    return turn;
  }

 private:
  void read_state(const JsonValue& o, TraceTurn& turn) {
    for (const PlanetRow& p : o.at("planets").map(read_planet_row)) {
      turn.planets.push_back({p.id, p.owner, p.ships});
      turn.planet_places.push_back({p.id, p.x, p.y});
    }
    for (const FleetRow& f : o.at("fleets").map(read_fleet_row)) {
      turn.fleets.push_back(f.id);
      turn.fleet_places.push_back({f.x, f.y});
      if (seen_.insert(f.id).second) turn.new_fleets.push_back(f);
    }
    turn.has_positions = true;
    turn.next_fleet_id = o.at("next_fleet_id").whole(0, kMaxId);
    for (CometGroup& group : o.at("comets").map(read_comet_group)) {
      turn.comets.push_back({group.ids, {}, group.path_index});
      if (group.path_index == 0 && !turn.wave) turn.wave = std::move(group);
    }
  }

  // A seat whose program failed has no say in when the game ends; only an end by the rules makes every seat DONE.
  void read_end(const JsonValue& step, TraceTurn& turn) {
    for (int s = 0; s < seats_; ++s) turn.statuses.push_back(step.at(size_t(s)).at("status").text());
    turn.finished = std::all_of(turn.statuses.begin(), turn.statuses.end(), [](const auto& text) { return text == "DONE"; });
    for (int s = 0; s < seats_ && turn.finished; ++s) turn.rewards.push_back(step.at(size_t(s)).at("reward").whole(-1, 1));
  }

  JsonValue steps_;
  int seats_;
  std::set<int32_t> seen_;
};

}  // namespace

Trace read_replay(const std::string& text, const std::string& file) {
  const JsonSource source{file, 0};
  const json document = parse_json(text, source);
  const JsonValue replay(document, source);
  if (!document.is_object() || !replay.has("steps"))
    replay.fail("neither a trace (first line with \"format\") nor a replay (\"steps\")");
  if (replay.at("name").text() != "orbit_wars") replay.at("name").expected("orbit_wars");
  check_version(replay);
  const JsonValue steps = replay.at("steps"), first = steps.at(size_t(0));
  Trace t{};
  t.file = file;
  t.name = name_of(file);
  t.seats = int(first.size());
  if (t.seats != 2 && t.seats != 4) first.fail("expected 2 or 4 seats, found " + std::to_string(t.seats));
  t.seed = integer_text(text, {"info", "seed"});
  if (t.seed.empty()) replay.at("info").fail("has no whole number \"seed\", without which the game cannot be played again");
  read_configuration(replay.at("configuration"), t);
  t.start = read_start(first.at(size_t(0)).at("observation"));
  StateReader reader(steps, t.seats);
  for (size_t i = 1; i < steps.size(); ++i) {
    if (!t.turns.empty() && t.turns.back().finished) steps.at(i).fail("a turn after the game has ended");
    t.turns.push_back(reader.turn(int(i)));
  }
  return t;
}

}  // namespace orbit

#include "src/parity/trace_file.h"
#include "src/common/error.h"
#include "src/parity/replay_file.h"
#include "src/parity/trace_moves.h"
#include "src/parity/trace_text.h"

namespace orbit {
namespace {
using nlohmann::json;

PlanetState read_planet_state(const JsonValue& p) {
  return {read_id(p.at(size_t(0))), p.at(1).whole(INT32_MIN, INT32_MAX), p.at(2).whole(INT32_MIN, INT32_MAX)};
}
PlanetPlace read_planet_place(const JsonValue& p) { return {read_id(p.at(size_t(0))), p.at(1).real(1e6), p.at(2).real(1e6)}; }
Point read_fleet_place(const JsonValue& p) { return {p.at(size_t(0)).real(1e7), p.at(1).real(1e7)}; }
CometGroup read_live_group(const JsonValue& g) {
  return {g.at(size_t(0)).map(read_id), {}, g.at(1).whole(INT32_MIN, INT32_MAX)};
}

Trace read_header(const JsonValue& h, const std::string& line) {
  if (h.at("format").text() != "orbit-wars-trace" || h.at("version").whole(0, 1000) != 1)
    h.at("format").fail("expected an orbit-wars-trace of version 1");
  Trace t{};
  const std::string kind = h.at("kind").text();
  if (kind != "episode" && kind != "scenario" && kind != "replay") h.at("kind").expected("episode, scenario or replay");
  t.scenario = kind == "scenario";
  t.name = h.at("name").raw().is_string() ? h.at("name").text() : h.at("name").raw().dump();
  t.seed = integer_text(line, {"seed"});
  if (t.seed.empty()) h.at("seed").expected("a whole number");
  t.seats = h.at("players").whole(2, 4);
  if (t.seats == 3) h.at("players").expected("2 or 4");
  read_configuration(h.at("configuration"), t);
  t.start = read_start(h.at("init"));
  return t;
}

void read_end(const JsonValue& r, int seats, TraceTurn& turn) {
  turn.finished = r.has("done") && r.at("done").truth();
  if (!turn.finished) return;
  turn.statuses = r.at("status").map([](const JsonValue& v) { return v.text(); });
  turn.rewards = r.at("reward").map([](const JsonValue& v) { return v.whole(INT32_MIN, INT32_MAX); });
  if (int(turn.statuses.size()) != seats) r.at("status").expected("one status a seat");
  if (int(turn.rewards.size()) != seats) r.at("reward").expected("one reward a seat");
}

TraceTurn read_turn(const JsonValue& r, int line, int seats) {
  TraceTurn turn{};
  turn.line = line;
  turn.t = r.at("t").whole(INT32_MIN, INT32_MAX);
  const JsonValue actions = r.at("a");
  if (int(actions.size()) != seats) actions.expected("one action list a seat");
  for (int s = 0; s < seats; ++s) turn.moves[s] = read_moves(actions.at(size_t(s)));
  turn.planets = r.at("p").map(read_planet_state);
  turn.fleets = r.at("f").map(read_id);
  turn.next_fleet_id = r.at("n").whole(INT32_MIN, INT32_MAX);
  if (r.has("new")) turn.new_fleets = r.at("new").map(read_fleet_row);
  if (r.has("c")) turn.comets = r.at("c").map(read_live_group);
  if (r.has("wave")) turn.wave = read_comet_group(r.at("wave"));
  turn.has_positions = r.has("pxy") || r.has("fxy");
  if (turn.has_positions) {
    turn.planet_places = r.at("pxy").map(read_planet_place);
    turn.fleet_places = r.at("fxy").map(read_fleet_place);
    if (turn.fleet_places.size() != turn.fleets.size()) r.at("fxy").expected("one position a fleet of f");
  }
  read_end(r, seats, turn);
  return turn;
}

std::vector<Trace> read_lines(const std::string& text, const std::string& file) {
  std::vector<Trace> traces;
  JsonSource source{file, 0};
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    ++source.line;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    const json document = parse_json(line, source);
    const JsonValue row(document, source);
    if (row.has("format")) {
      traces.push_back(read_header(row, line));
      traces.back().file = file;
      continue;
    }
    if (traces.empty()) row.fail("neither a trace (first line with \"format\") nor a replay (\"steps\")");
    Trace& t = traces.back();
    if (!t.turns.empty() && t.turns.back().finished) row.fail("a turn after the game has ended");
    t.turns.push_back(read_turn(row, source.line, t.seats));
  }
  return traces;
}

// A replay is one object with "steps", on one line or many; in a trace every line is an object.
bool is_replay(const std::string& text) {
  const json first = json::parse(text.substr(0, text.find('\n')), nullptr, false);
  return !first.is_object() || first.contains("steps");
}
}  // namespace

std::vector<Trace> read_traces(const std::string& path) {
  const std::string text = read_text(path);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw UserError(path + ": is empty; expected a trace or a replay");
  if (is_replay(text)) return {read_replay(text, path)};
  return read_lines(text, path);
}

}  // namespace orbit

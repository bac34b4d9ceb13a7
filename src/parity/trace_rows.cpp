// The rows that traces and replays share.
#include "src/parity/trace_file.h"

namespace orbit {
namespace {
Point read_point(const JsonValue& p) { return {p.at(size_t(0)).real(kMaxCoordinate), p.at(1).real(kMaxCoordinate)}; }
int32_t read_ships(const JsonValue& v) { return v.whole(0, kMaxTraceShips); }
int32_t read_owner(const JsonValue& v) { return v.whole(kNeutral, kMaxSeats - 1); }
}  // namespace

int32_t read_id(const JsonValue& id) { return id.whole(-kMaxId, kMaxId); }

PlanetRow read_planet_row(const JsonValue& r) {
  if (r.size() != 7) r.fail("expected [id, owner, x, y, radius, ships, production]");
  const double radius = r.at(4).real(kMaxCoordinate);
  if (radius < 0) r.at(4).expected("a radius of at least 0");
  return {read_id(r.at(size_t(0))), read_owner(r.at(1)), r.at(2).real(kMaxCoordinate),    r.at(3).real(kMaxCoordinate), radius,
          read_ships(r.at(5)),      r.at(6).whole(0, kMaxId)};
}

FleetRow read_fleet_row(const JsonValue& r) {
  if (r.size() != 7) r.fail("expected [id, owner, x, y, angle, from_planet_id, ships]");
  return {read_id(r.at(size_t(0))), r.at(1).whole(0, kMaxSeats - 1), r.at(2).real(kMaxCoordinate), r.at(3).real(kMaxCoordinate),
          r.at(4).real(kMaxAngle),  read_id(r.at(5)),                r.at(6).whole(1, kMaxTraceShips)};
}

CometGroup read_comet_group(const JsonValue& g) {
  const auto read_path = [](const JsonValue& path) { return path.map(read_point); };
  return {g.at("planet_ids").map(read_id), g.at("paths").map(read_path),
          g.has("path_index") ? g.at("path_index").whole(-1, kMaxId) : -1};
}

StartState read_start(const JsonValue& s) {
  return {s.at("step").whole(0, 1000000),
          s.at("angular_velocity").real(kMaxCoordinate),
          s.at("planets").map(read_planet_row),
          s.at("initial_planets").map(read_planet_row),
          s.at("fleets").map(read_fleet_row),
          s.at("next_fleet_id").whole(0, kMaxId),
          s.at("comets").map(read_comet_group),
          s.at("comet_planet_ids").map(read_id)};
}

void read_configuration(const JsonValue& c, Trace& trace) {
  const JsonValue ship_speed = c.at("shipSpeed");
  trace.episode_steps = c.at("episodeSteps").whole(1, kMaxId);
  trace.ship_speed = ship_speed.real(1e6);
  if (trace.ship_speed < 0) ship_speed.expected("a speed of at least 0");
  trace.comet_speed = c.at("cometSpeed").real(1e6);
}

}  // namespace orbit

// A recorded game: its start, the moves, and what the official game made of them. Read from trace and replay files.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>
#include "envs/orbit_wars/state.h"

namespace orbit {

struct PlanetRow {
  int32_t id, owner;
  double x, y, radius;
  int32_t ships, production;
};

struct FleetRow {
  int32_t id, owner;
  double x, y, angle;
  int32_t from, ships;
};

struct CometGroup {
  std::vector<int32_t> ids;
  std::vector<std::vector<Point>> paths;  // one a member; left out where a file gives them once only
  int32_t path_index;
};

// State 0 of an episode, or any state of a scenario.
struct StartState {
  int32_t step;
  double omega;
  std::vector<PlanetRow> planets, initial_planets;
  std::vector<FleetRow> fleets;
  int32_t next_fleet_id;
  std::vector<CometGroup> comets;
  std::vector<int32_t> comet_planet_ids;
};

// A move as the game takes it: ships cut to an integer, the source by value (kNoPlanet where none can equal it).
constexpr int32_t kNoPlanet = INT32_MIN;
struct TraceMove {
  int32_t from, ships;
  double angle;
  bool angle_is_number;  // false is lawful only if the move is refused for another reason
};

struct PlanetState {
  int32_t id, owner, ships;
};
struct PlanetPlace {
  int32_t id;
  double x, y;
};

// One turn: the moves that led to state t, and that state.
struct TraceTurn {
  int line;  // of the file; 0 in replays
  int32_t t;
  std::vector<TraceMove> moves[kMaxSeats];
  std::vector<PlanetState> planets;
  std::vector<int32_t> fleets;  // ids
  int32_t next_fleet_id;
  std::vector<FleetRow> new_fleets;  // seen for the first time
  std::vector<CometGroup> comets;    // without paths
  std::optional<CometGroup> wave;    // one that has just come, with its paths
  bool has_positions;
  std::vector<PlanetPlace> planet_places;  // of planets that can move
  std::vector<Point> fleet_places;         // of every fleet
  bool finished;                           // by the rules
  std::vector<std::string> statuses;       // where finished
  std::vector<int32_t> rewards;
};

struct Trace {
  std::string file, name, seed;  // the seed in decimal digits, of any size
  bool scenario;                 // start is made by hand; otherwise it follows from the seed
  int seats;
  int episode_steps;
  double ship_speed, comet_speed;
  StartState start;
  std::vector<TraceTurn> turns;
};

}  // namespace orbit

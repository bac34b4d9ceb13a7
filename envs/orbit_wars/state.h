// The state of one game as views over padded arrays. In a batch every array is one tensor with a leading dimension N
// (environments), so that C++, Python, checkpoints and tests see each field by its name; these structs point at one row.
// The functions with_arrays list the arrays once; tensors, reset and compaction go through them.
#pragma once
#include "envs/orbit_wars/limits.h"
#include "envs/common/host_device.h"

namespace orbit {

// How a planet moves. kInert: listed as a comet but in no comet group (hand-made states only).
enum PlanetKind : int32_t { kFixed, kOrbiting, kComet, kInert };

// exact: sine and cosine per planet, bit-equal to the official game on a CPU. fast: one rotation a tick, within 1e-13. float: as
// fast, with every cheap test of a turn in single precision and the one in double behind it, for GPUs with slow double units.
enum class Motion : int32_t { kExact, kFast, kFloat };

// (P) slots in the official list order; slots past planet_count hold finite numbers.
struct Planets {
  int32_t* id;
  int32_t* owner;       // seat, or kNeutral
  int32_t* ships;       // garrison, >= 0
  int32_t* production;  // ships per turn while owned
  int32_t* kind;        // PlanetKind
  int32_t* path;        // comets: wave * 4 + member
  double* x;
  double* y;
  double* radius;
  double* arm_x;        // orbiting: position at angle 0 relative to the centre
  double* arm_y;
  double* orbit;        // the same in polar form: radius
  double* phase;        // and angle, radians
};
constexpr const char* kPlanetArrayNames[] = {"planet_id", "planet_owner", "planet_ships", "planet_production", "planet_kind",
                                             "planet_path", "planet_x", "planet_y", "planet_radius", "planet_arm_x",
                                             "planet_arm_y", "planet_orbit", "planet_phase"};
template <class F>
ORBIT_FN auto with_arrays(Planets& p, F f) {
  return f(p.id, p.owner, p.ships, p.production, p.kind, p.path, p.x, p.y, p.radius, p.arm_x, p.arm_y, p.orbit, p.phase);
}
static_assert(sizeof(Planets) == sizeof(void*) * sizeof(kPlanetArrayNames) / sizeof(char*), "a planet array lacks its name");

// (F) slots in launch order.
struct Fleets {
  int32_t* id;
  int32_t* owner;
  int32_t* from;   // id of the planet it left
  int32_t* ships;  // > 0; 0 marks a fleet that leaves in this tick
  double* x;
  double* y;
  double* angle;   // as given by the player, not normalised
  double* dx;      // displacement per turn, fixed at launch
  double* dy;
};
constexpr const char* kFleetArrayNames[] = {"fleet_id", "fleet_owner", "fleet_from", "fleet_ships", "fleet_x",
                                            "fleet_y", "fleet_angle", "fleet_dx", "fleet_dy"};
template <class F>
ORBIT_FN auto with_arrays(Fleets& f, F g) {
  return g(f.id, f.owner, f.from, f.ships, f.x, f.y, f.angle, f.dx, f.dy);
}
static_assert(sizeof(Fleets) == sizeof(void*) * sizeof(kFleetArrayNames) / sizeof(char*), "a fleet array lacks its name");

// One row of an int32 tensor (N, kScalarCount); each field is also visible by name as a column of it.
struct Scalars {
  int32_t step;           // number of the state
  int32_t planet_count;
  int32_t fleet_count;
  int32_t next_fleet_id;
  int32_t terminated;     // 1 once the game has ended by its rules (the step limit of the game included)
  int32_t refused;        // launches refused for want of a free fleet slot, since the reset
  int32_t board;          // row of the board bank
  int32_t snapshot_count; // pushed snapshots, at most kSnapshots
  int32_t wave_members[kMaxWaves];  // members still flying, as bits
  int32_t wave_index[kMaxWaves];    // path index; -1 between spawn and first placement
  int32_t reward[kMaxSeats];        // +1 or -1 at the end, 0 before
  int32_t fault;          // StateFault bits found by a turn, which is then not played (state_check.h)
  int32_t reserved[3];
};
constexpr int kScalarCount = 32;
static_assert(sizeof(Scalars) == kScalarCount * sizeof(int32_t), "Scalars is one row of an int32 tensor");

// What the features remember (see features.h and history.h).
struct History {
  int32_t* snapshot_id;     // (kSnapshots, P) the planets before turn t in row t mod kSnapshots, -1 in empty slots
  int32_t* snapshot_owner;  // (kSnapshots, P)
  int32_t* snapshot_ships;  // (kSnapshots, P)
  int32_t* launch_step;     // (kLaunchTurns) the turn that slot (turn mod kLaunchTurns) holds, -1 for none
  int32_t* launch_count;    // (kLaunchTurns, kMaxSeats) moves submitted by each seat, refused ones included
  int32_t* launch_ships;    // (kLaunchTurns, kMaxSeats) their ships
};
constexpr const char* kHistoryArrayNames[] = {"snapshot_id", "snapshot_owner", "snapshot_ships",
                                              "launch_step", "launch_count",   "launch_ships"};
constexpr int kHistoryArraySizes[] = {kSnapshots* kMaxPlanets, kSnapshots* kMaxPlanets, kSnapshots* kMaxPlanets,
                                      kLaunchTurns,            kLaunchTurns* kMaxSeats, kLaunchTurns* kMaxSeats};
template <class F>
ORBIT_FN auto with_arrays(History& h, F f) {
  return f(h.snapshot_id, h.snapshot_owner, h.snapshot_ships, h.launch_step, h.launch_count, h.launch_ships);
}
static_assert(sizeof(History) == sizeof(void*) * sizeof(kHistoryArrayNames) / sizeof(char*), "a history array lacks its name");

// Depends on the seed alone, read-only: one row of the board bank. A generated board keeps one path a wave and derives the
// four members' by symmetry (path_rows == kBoardWaves); a hand-made one keeps every member's path (path_rows == 4 kMaxWaves).
struct Board {
  const double* omega;             // () angular velocity, radians per turn
  const int32_t* wave_step;        // (kMaxWaves) the tick with step + 1 == this spawns the wave; 0 never
  const int32_t* wave_ships;       // (kMaxWaves) garrison of its comets
  const int32_t* path_length;      // (path_rows)
  const double* path_x;            // (path_rows, kMaxPath)
  const double* path_y;
  const int32_t* planet_count;     // () and the start position, copied by a reset:
  const int32_t* home;             // () first slot of the home group
  const int32_t* planet_ships;     // (kMaxPlanets) as generated, homes too
  const int32_t* planet_production;
  const double* planet_x;          // (kMaxPlanets) position at angle 0
  const double* planet_y;
  int32_t path_rows;
};

struct Rules {
  int32_t seats;          // 2 or 4
  int32_t episode_steps;  // 500: the game ends with state episode_steps - 1
  int32_t max_fleets;     // capacity of the fleet arrays, a multiple of 16
  double ship_speed;
};

// Orders of one environment, seat by seat, in the order in which they are carried out. Anything not lawful is refused by
// the game's own rule, without effect.
struct Moves {
  const int32_t* count;  // (S) moves of each seat
  const int32_t* from;   // (S, stride) planet ids
  const int32_t* ships;  // (S, stride)
  const double* angle;   // (S, stride) radians
  int32_t stride;

  // More than there is room for, or fewer than none, are not there.
  ORBIT_FN int32_t given(int seat) const { return clamp(count[seat], 0, stride); }
};

struct Game {
  Planets planets;
  Fleets fleets;
  History history;
  Scalars* now;
  Board board;
};

// Row of the path table that holds member q = wave * 4 + member, and a point of it.
ORBIT_FN bool explicit_paths(const Board& b) { return b.path_rows != kBoardWaves; }
ORBIT_FN int32_t path_row(const Board& b, int32_t q) { return explicit_paths(b) ? q : q >> 2; }
ORBIT_FN int32_t path_length(const Board& b, int32_t q) { return b.path_length[path_row(b, q)]; }
struct Point {
  double x, y;
};
// The four members of a symmetric group, in the official order (planets and comets alike).
ORBIT_FN Point symmetric(double x, double y, int member) {
  const double mx = kBoardSize - x, my = kBoardSize - y;
  return member == 0 ? Point{y, x} : member == 1 ? Point{mx, y} : member == 2 ? Point{x, my} : Point{my, mx};
}
ORBIT_FN Point path_point(const Board& b, int32_t q, int32_t k) {
  const int64_t at = int64_t(path_row(b, q)) * kMaxPath + k;
  const double x = b.path_x[at], y = b.path_y[at];
  return explicit_paths(b) ? Point{x, y} : symmetric(x, y, q & 3);
}

}  // namespace orbit

// Sizes and constants of Orbit Wars (official package kaggle-environments 1.33.2, module orbit_wars).
#pragma once
#include <cstdint>

namespace orbit {

// Padded sizes. Arrays over planets and fleets are multiples of 16 long (lanes.h evaluates whole blocks).
constexpr int kMaxPlanets = 48;        // the official generator makes 20 to 40, plus four comets
constexpr int kDefaultMaxFleets = 512;  // strong play peaks at 284; parity runs choose a larger capacity
constexpr int kMaxSeats = 4;
constexpr int kBoardWaves = 5;         // comet waves of an ordinary game
constexpr int kMaxWaves = 8;           // and up to three more in a hand-made start state
constexpr int kWaveMembers = 4;
constexpr int kMaxPath = 40;           // points of a comet path; the generator refuses longer ones

// Geometry, board units.
constexpr double kBoardSize = 100.0;
constexpr double kCentre = 50.0;
constexpr double kSunRadius = 10.0;
constexpr double kRotationLimit = 50.0;  // a planet rotates iff its orbit radius + its radius is below this
constexpr double kLaunchOffset = 0.1;    // a fleet starts this far outside its planet
constexpr double kCometRadius = 1.0;
constexpr double kCometParking = -99.0;  // where a comet waits between its spawn and its first placement
constexpr int kCometProduction = 1;
constexpr int kHomeShips = 10;
constexpr int kNeutral = -1;             // owner of a planet that is nobody's

// The official defaults of the configuration.
constexpr int kDefaultEpisodeSteps = 500;
constexpr double kDefaultShipSpeed = 6.0;
constexpr double kDefaultCometSpeed = 4.0;
constexpr int kWaveSteps[kBoardWaves] = {50, 150, 250, 350, 450};  // the tick that leads to this state spawns the wave

// What policy v1 reads (see features.h).
constexpr int kFeatureSlots = 36;
constexpr int kPlanetFeatures = 41;
constexpr int kGlobalFeatures = 20;

// History kept for the features: snapshots of the last steps, launches of the last turns.
constexpr int kSnapshots = 3;
constexpr int kLaunchTurns = 5;

}  // namespace orbit

// The columns of features v1 by name, and the constants of their motion model (not the game's own motion: trained weights
// expect exactly this). L(x) = log1p(x), D = the board's diagonal, Hz = the horizon in turns.
#pragma once
#include "envs/orbit_wars/limits.h"

namespace orbit {

constexpr int kHorizon = 30;
constexpr double kDiagonalSquared = 2.0 * kBoardSize * kBoardSize;
constexpr double kSupportRange = 25.0;  // own planets this near support each other
constexpr double kThreatRange = 8.0;    // enemy planets and fleets this near threaten
constexpr int kLookahead = 4;           // displacements after 1, 2, 4 and 8 turns
constexpr int kWaveLife = 30;           // turns for which a comet wave counts as active
constexpr int kLaunchMemory = 4;        // launches count while their turn is at most this long ago

enum PlanetColumn {
  kColX, kColY,                      // / 100
  kColRadius,                        // / 5
  kColShips, kColProduction,         // L
  kColMine, kColEnemy, kColNeutral,
  kColComet,
  kColIncomingBalance,               // L(enemy) - L(own)
  kColNearestEta,                    // / (Hz + 1), of any fleet; 1 if none
  kColSunDistance,                   // / D
  kColStatic,
  kColYield,                         // production a ship, at most 5, / 5
  kColNearestEnemy,                  // / D
  kColSupport, kColThreat,           // L / 6
  kColIncomingShare,                 // (enemy - own) a ship, within +-3, / 3
  kColNearestOwn, kColNearestNeutral,  // / D
  kColDisplacement,                  // dx, dy / 100 after 1, 2, 4, 8 turns
  kColOwnEta = kColDisplacement + 2 * kLookahead, kColEnemyEta,
  kColOwnIncoming, kColEnemyIncoming,  // L / 6
  kColChange2, kColChange3,          // change of ships since the snapshot 2 and 3 pushes ago, a ship, within +-3, / 3
  kColOwnerChanged,                  // since the snapshot 2 pushes ago
  kColLoss,                          // L of the ships lost within 3 turns
  kColFall,                          // turn at which the seat loses it, / Hz; 1 if never
  kColLow,                           // L of the smallest garrison while own
  kColSurplus,                       // L of the garrison at the horizon if the owner is then the same
  kColFalls,
  kColKeep,                          // L of the smallest garrison that holds it
  kColEnd
};
static_assert(kColEnd == kPlanetFeatures, "a planet column lacks its name");

enum GlobalColumn {
  kGlobStep,                         // / 500
  kGlobOmega,                        // * 10
  kGlobOwnShips, kGlobEnemyShips, kGlobNeutralShips,  // L, on planets
  kGlobProductionBalance,            // L(own) - L(enemy)
  kGlobOwnPlanets, kGlobEnemyPlanets,  // share of the slots in use
  kGlobWaveActive,
  kGlobMiddle, kGlobLate,            // 100 <= step < 300; step >= 300
  kGlobNextWave,                     // turns / 100, at most 1; 0 while one is active
  kGlobOwnShipShare, kGlobEnemyShipShare,
  kGlobProductionShare,              // of own and enemy production
  kGlobShipBalance,                  // L(own) - L(enemy), within +-3, / 3
  kGlobEnemyLaunches, kGlobEnemyLaunchShips,  // launches / 10, at most 1; L / 6
  kGlobOwnLaunches, kGlobOwnLaunchShips,
  kGlobEnd
};
static_assert(kGlobEnd == kGlobalFeatures, "a global column lacks its name");

}  // namespace orbit

// The planet columns: those that all seats share, and those that depend on who looks.
#pragma once
#include "envs/orbit_wars/features_scratch.h"
#include "envs/orbit_wars/history.h"
#include "envs/orbit_wars/prediction.h"

namespace orbit {

// Time lines. Columns kColLoss and kColSurplus are the same for every seat and go straight to the shared rows.
template <class L>
ORBIT_FN void look_ahead(const L& lanes, const Game& g, FeatureScratch& s) {
  const Planets& p = g.planets;
  lanes.for_each(feature_planets(g), [&](int i) {
    const Outlook o = outlook(p.owner[i], p.ships[i], p.production[i], s.arrivals[i]);
    float* row = s.shared + i * kPlanetFeatures;
    row[kColLoss] = float(log_ships(o.loss));
    row[kColSurplus] = float(log_ships(o.surplus));
    s.low[i] = float(log_ships(o.low));
    s.keep[i] = float(log_ships(o.keep));
    for (int seat = 0; seat < kMaxSeats; ++seat) s.fall[seat][i] = o.fall[seat];
  });
}

// Predicted displacements; none where there is no prediction. cos and sin: of the board's rotation in 1, 2, 4, 8 turns.
ORBIT_FN void fill_displacements(const Game& g, int i, const double* cos, const double* sin, float* row) {
  const Course course = course_of(g, i);
  for (int k = 0; k < kLookahead; ++k) {
    Point to;
    if (!position_after(g, course, 1 << k, cos[k], sin[k], to)) to = {course.x, course.y};
    row[kColDisplacement + 2 * k] = float((to.x - course.x) / 100.0);
    row[kColDisplacement + 2 * k + 1] = float((to.y - course.y) / 100.0);
  }
}

// Slot of a planet in a snapshot, -1 for none. Most often its own: the list changes only when comets come and go.
ORBIT_FN int find_in_snapshot(const int32_t* ids, int i, int32_t id) {
  if (ids[i] == id) return i;
  for (int k = 0; k < kMaxPlanets; ++k)
    if (ids[k] == id) return k;
  return -1;
}

ORBIT_FN void fill_changes(const Game& g, int i, const FeatureOptions& options, float* row) {
  const Planets& p = g.planets;
  const History& h = g.history;
  row[kColChange2] = row[kColChange3] = row[kColOwnerChanged] = 0.0f;
  for (int back = 2; back <= 3; ++back) {
    if (options.history == HistoryMode::kNone || g.now->snapshot_count < back) return;
    const int first = snapshot_start(g, back), k = find_in_snapshot(h.snapshot_id + first, i, p.id[i]);
    if (k < 0) continue;
    const double change = (double(p.ships[i]) - h.snapshot_ships[first + k]) / larger(1.0, double(p.ships[i]));
    row[back == 2 ? kColChange2 : kColChange3] = float(clamp(change, -3.0, 3.0) / 3.0);
    if (back == 2) row[kColOwnerChanged] = h.snapshot_owner[first + k] != p.owner[i];
  }
}

template <class L>
ORBIT_FN void fill_shared_columns(const L& lanes, const Game& g, const FeatureOptions& options, FeatureScratch& s) {
  const Planets& p = g.planets;
  const double omega = *g.board.omega;
  double cos[kLookahead] = {cosine(omega)}, sin[kLookahead] = {sine(omega)};
  for (int k = 1; k < kLookahead; ++k) {  // twice the angle
    cos[k] = cos[k - 1] * cos[k - 1] - sin[k - 1] * sin[k - 1];
    sin[k] = 2.0 * sin[k - 1] * cos[k - 1];
  }
  lanes.for_each(feature_planets(g), [&](int i) {
    float* row = s.shared + i * kPlanetFeatures;
    const double x = p.x[i], y = p.y[i], radius = p.radius[i], ships = p.ships[i], production = p.production[i];
    const double sx = x - kCentre, sy = y - kCentre, sun = sqrt(sx * sx + sy * sy);
    float eta = 1.0f;
    for (int o = 0; o < kOwners; ++o) eta = smaller(eta, s.eta[o][i]);
    row[kColX] = float(x / 100.0);
    row[kColY] = float(y / 100.0);
    row[kColRadius] = float(radius / 5.0);
    row[kColShips] = float(log_ships(ships));
    row[kColProduction] = float(log_ships(production));
    row[kColNeutral] = p.owner[i] == kNeutral;
    row[kColComet] = (p.kind[i] == kComet) | (p.kind[i] == kInert);
    row[kColNearestEta] = eta;
    row[kColSunDistance] = float(sun / sqrt(kDiagonalSquared));
    row[kColStatic] = sun + radius >= kRotationLimit;
    row[kColYield] = float(smaller(production / larger(1.0, ships), 5.0) / 5.0);
    row[kColNearestNeutral] = s.near[kNeutral + 1][i];
    fill_displacements(g, i, cos, sin, row);
    fill_changes(g, i, options, row);
  });
}

// Columns that depend on the seat, over a copy of the shared row. "Enemy" is any owner but the seat and nobody.
ORBIT_FN void fill_seat_columns(const Game& g, int seat, const FeatureScratch& s, int i, float* row) {
  const Planets& p = g.planets;
  const bool mine = p.owner[i] == seat;
  const int own = seat + 1;
  float near = 1.0f, eta = 1.0f;
  double threat = 0, incoming = 0;
  for (int o = kNeutral + 2; o < kOwners; ++o) {
    const bool enemy = o != own;
    near = smaller(near, enemy ? s.near[o][i] : 1.0f);
    threat += enemy ? s.threat[o][i] : 0.0;
    incoming += enemy ? s.incoming[o][i] : 0.0;
    eta = smaller(eta, enemy ? s.eta[o][i] : 1.0f);
  }
  const double own_incoming = s.incoming[own][i];
  const double share = (incoming - own_incoming) / larger(1.0, double(p.ships[i]));
  row[kColMine] = mine;
  row[kColEnemy] = !mine & (p.owner[i] != kNeutral);
  row[kColIncomingBalance] = float(log_ships(incoming) - log_ships(own_incoming));
  row[kColNearestEnemy] = near;
  row[kColSupport] = float(log_ships_sixth(s.support[own][i]));
  row[kColThreat] = float(log_ships_sixth(threat));
  row[kColIncomingShare] = float(clamp(share, -3.0, 3.0) / 3.0);
  row[kColNearestOwn] = s.near[own][i];
  row[kColOwnEta] = s.eta[own][i];
  row[kColEnemyEta] = eta;
  row[kColOwnIncoming] = float(log_ships_sixth(own_incoming));
  row[kColEnemyIncoming] = float(log_ships_sixth(incoming));
  const int fall = s.fall[seat][i];
  row[kColFall] = fall > 0 ? float(fall / double(kHorizon)) : 1.0f;
  row[kColFalls] = fall > 0;
  row[kColLow] = mine ? s.low[i] : 0.0f;
  row[kColKeep] = mine ? s.keep[i] : 0.0f;
}

}  // namespace orbit

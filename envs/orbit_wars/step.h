// One turn of Orbit Wars, phase by phase in the official order. Numbers are sections of the rules (see README.md).
#pragma once
#include "envs/orbit_wars/combat.h"
#include "envs/orbit_wars/comets.h"
#include "envs/orbit_wars/fleets.h"
#include "envs/orbit_wars/judge.h"
#include "envs/orbit_wars/motion.h"

namespace orbit {

template <Motion M, class L>
ORBIT_FN void advance(const L& lanes, Game& g, const Rules& rules, const Moves& moves, StepScratch& scratch) {
  clear_finished_comets(lanes, g);
  spawn_wave(lanes, g);
  launch(lanes, g, rules, moves);
  produce(lanes, g);
  plan_orbits<M>(lanes, g, scratch);
  plan_comets(lanes, g, scratch);
  const bool in_flight = g.now->fleet_count > 0;
  if (in_flight) plan_sweep(lanes, g, scratch);
  if (in_flight) move_fleets(lanes, g, scratch);
  move_planets(lanes, g, scratch);
  const Mask leaving = finished_comets(lanes, g);
  if (in_flight) fight(lanes, g, scratch, leaving);
  if (leaving) remove_finished_comets(lanes, g, leaving);
  judge(lanes, g, rules);
}

}  // namespace orbit

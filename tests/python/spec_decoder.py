"""The action decoders of policy-v1.md in plain Python, written from its text: what ours is held against on random boards.

plain(obs, target, x) and strict(obs, target, x) give rows (source slot, source id, target slot, ships, ...), in slot order.
obs is an observation as in spec_features.py; target and x hold one entry a planet slot, 36 = no-op.
"""
import math

import spec_features as spec

SLOTS = spec.SLOTS


def sources(obs, target):
    """(slot, planet, target slot) of every row that may launch."""
    planets = obs["planets"][:SLOTS]
    for slot, planet in enumerate(planets):
        if planet[1] == obs["player"] and planet[5] > 0 and 0 <= target[slot] < len(planets):
            yield slot, planet, target[slot]


def wanted(x):
    return round(math.expm1(max(0.0, float(x))))


def plain(obs, target, x):
    """Rows (slot, id, target, ships, bearing, intercept angle or None). A self target has bearing 0 and no intercept."""
    out = []
    for slot, planet, t in sources(obs, target):
        goal = obs["planets"][t]
        ships = min(max(wanted(x[slot]), 1), planet[5])
        aim = spec.aim(planet, goal, ships, obs) if t != slot else None
        out.append((slot, planet[0], t, ships, math.atan2(goal[3] - planet[3], goal[2] - planet[2]), aim and aim[0]))
    return out


def first_met(fleet, planets):
    """Slot of the planet that the fleet's ray meets first; of two equally far the lower slot; None."""
    best = None
    for slot, p in enumerate(planets):
        dx, dy = p[2] - fleet[2], p[3] - fleet[3]
        along = dx * math.cos(fleet[4]) + dy * math.sin(fleet[4])
        off2 = dx * dx + dy * dy - along * along
        if along >= 0 and off2 < p[4] * p[4]:
            way = max(0.0, along - math.sqrt(p[4] * p[4] - max(0.0, off2)))
            if best is None or way < best[0]:
                best = way, slot
    return best and best[1]


def place(obs, planet, turns):
    if planet[0] in obs["comet_planet_ids"]:
        return spec.comet_at(obs["comets"], planet[0], turns)
    init = next((r for r in obs["initial_planets"] if r[0] == planet[0]), None)
    return spec.orbit_at(planet[2], planet[3], init, obs["angular_velocity"], turns)


def doubtful(obs, source, goal, ships, aim):
    """Why the strict decoder refuses this launch; None if it does not."""
    angle, turns, ax, ay = aim
    for turn in (turns - 1, turns, turns + 1):
        at = place(obs, goal, turn)
        if at is None or math.hypot(at[0] - ax, at[1] - ay) > 0.7 * goal[4]:
            return "target unsure"
    if goal[0] in obs["comet_planet_ids"]:
        path, index = spec.comet_path(obs["comets"], goal[0])
        if len(path) - index <= turns + 1:
            return "comet leaves"

    def fleet_at(turn):
        out = source[4] + 0.1 + spec.speed(ships) * turn
        return source[2] + math.cos(angle) * out, source[3] + math.sin(angle) * out

    for turn in range(turns + 1):
        x, y = fleet_at(turn)
        if math.hypot(x - 50.0, y - 50.0) < 11.5:
            return "sun"
    for other in obs["planets"]:
        if other[0] not in obs["comet_planet_ids"] or other is goal:
            continue
        for turn in range(1, turns + 1):
            at = spec.comet_at(obs["comets"], other[0], turn)
            x, y = fleet_at(turn)
            if at is not None and math.hypot(at[0] - x, at[1] - y) < 3.0:
                return "comet"
    return None


def strict(obs, target, x, reasons=None):
    """Rows (slot, id, target, ships, angle). reasons, a dict, counts why rows launch or do not."""
    reasons = {} if reasons is None else reasons
    planets, me = obs["planets"][:SLOTS], obs["player"]
    committed = [0] * len(planets)
    for fleet in obs["fleets"]:
        slot = first_met(fleet, planets) if fleet[1] == me else None
        if slot is not None:
            committed[slot] += fleet[6]
    out = []

    def decide(slot, source, t):
        goal = planets[t]
        if t == slot:
            return "self"
        ships = min(max(5, wanted(x[slot])), source[5])
        if goal[1] == me:
            if committed[t] > 2 * goal[5]:
                return "enough"
        else:
            need = goal[5] + 1 - committed[t]
            if need <= 0:
                return "not needed"
            ships = min(max(ships, need), source[5])
        aim = spec.aim(source, goal, ships, obs)
        if aim is None:
            return "no aim"
        why = doubtful(obs, source, goal, ships, aim)
        if why:
            return why
        committed[t] += ships
        out.append((slot, source[0], t, ships, aim[0]))
        return "launched"

    for slot, source, t in sources(obs, target):
        why = decide(slot, source, t)
        reasons[why] = reasons.get(why, 0) + 1
    return out

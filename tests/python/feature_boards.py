"""Fresh boards for the feature, aim and decoder checks, and the files that hold them (format: tests/data/features/README.md)."""
import json
import math
import os
import random
import sys

import numpy as np

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data")
sys.path[:0] = [DATA, os.path.join(DATA, "features")]
import oracle  # noqa: E402
import spec_decoder  # noqa: E402
import spec_features as spec  # noqa: E402


def observation(game, player):
    o = game.obs
    return {"player": player, "step": game.t, "angular_velocity": o.angular_velocity, "planets": [p[:] for p in o.planets],
            "fleets": [f[:] for f in o.fleets], "initial_planets": [p[:] for p in o.initial_planets],
            "comet_planet_ids": list(o.comet_planet_ids),
            "comets": [{"planet_ids": list(g["planet_ids"]), "paths": g["paths"], "path_index": g["path_index"]} for g in o.comets]}


def official_boards(rng, games, per_game):
    """(observation, history) of states of official games; the history as a match agent keeps it."""
    for _ in range(games):
        players = rng.choice((2, 2, 4))
        policy = rng.choice(("light", "heavy", "greedy", "comet", "light+greedy", "comet+heavy"))
        game = oracle.Game(players, seed=rng.randrange(2**31))
        rngs = [random.Random(rng.randrange(2**31)) for _ in range(players)]
        player, history = rng.randrange(players), spec.History()
        last = rng.choice((60, 100, 170))
        wanted = set(rng.sample(range(last), per_game)) | {49, 50, 51}
        while not game.done and game.t <= last:
            obs = observation(game, player)
            if game.t in wanted:
                kept = spec.History()
                kept.snaps, kept.launches = [dict(s) for s in history.snaps], list(history.launches)
                yield obs, kept
            actions = oracle.policy_actions(policy, game, rngs)
            history.push(obs, actions[player])
            game.step(actions)


def alter(rng, obs):
    """Changes a board in one or two ways that official games do not show."""
    planets, fleets = obs["planets"], obs["fleets"]

    def shuffle():
        rng.shuffle(planets)

    def forget_rows():
        obs["initial_planets"] = [r for r in obs["initial_planets"] if rng.random() < 0.6]

    def odd_ships():
        for row, column in [(p, 5) for p in planets] + [(f, 6) for f in fleets]:
            row[column] = rng.choice((0, 1, row[column], rng.randrange(5000)))

    def any_owner():
        for row in planets + fleets:
            row[1] = rng.choice((-1, 0, 1, 2, 3))

    def own_more():
        for p in planets:
            p[1] = obs["player"] if rng.random() < 0.5 else p[1]

    def shift_paths():
        for g in obs["comets"]:
            g["path_index"] = rng.randrange(-1, 34)

    def more_fleets():
        for k in range(rng.randrange(10, 80)):
            p, q = rng.choice(planets), rng.choice(planets)
            angle = math.atan2(q[3] - p[3], q[2] - p[2]) + rng.gauss(0, 0.05)
            fleets.append([90000 + k, rng.choice((0, 1, 2, 3)), p[2] + rng.gauss(0, 4), p[3] + rng.gauss(0, 4), angle, p[0], rng.randrange(1, 90)])

    def unlisted():
        obs["comet_planet_ids"] = []

    def ungrouped():
        obs["comets"] = []

    def neutral():
        for p in planets:
            p[1] = -1

    def any_step():
        obs["step"] = rng.choice((0, 1, 49, 50, 79, 80, 99, 100, 299, 300, 450, 479, 480, 499))

    def another_seat():
        obs["player"] = rng.randrange(4)

    every = (shuffle, forget_rows, odd_ships, any_owner, own_more, shift_paths, more_fleets, unlisted, ungrouped, neutral, any_step, another_seat)
    for change in rng.sample(every, rng.choice((1, 2, 3))):
        change()


def made_up_history(rng, obs):
    history, t = spec.History(), obs["step"]
    for _ in range(rng.randrange(4)):
        rows = [p for p in obs["planets"] if rng.random() < 0.8]
        history.snaps.append({p[0]: (max(0, p[5] + rng.randrange(-30, 30)), rng.choice((p[1], -1, 0, 1))) for p in rows})
    history.launches = [(t - rng.randrange(8), rng.randrange(-1, 4), rng.randrange(1, 300)) for _ in range(rng.randrange(40))]
    return history


def random_action(rng, obs):
    """Targets and log1p ships for 36 slots; some aim at a common target, at themselves, at nothing."""
    used = min(len(obs["planets"]), spec.SLOTS)
    common = rng.randrange(used) if used else spec.SLOTS
    target = [rng.choice((rng.randrange(used), rng.randrange(used), common)) if used and rng.random() < 0.9 else spec.SLOTS for _ in range(spec.SLOTS)]
    x = np.array([rng.choice((rng.uniform(-1, 6), math.log1p(rng.randrange(40)), 30.0)) for _ in range(spec.SLOTS)], np.float32)
    return target, x


class Ragged:
    """Rows of all cases in one table, with name_at."""

    def __init__(self, columns, dtype):
        self.rows, self.at, self.columns, self.dtype = [], [0], columns, dtype

    def add(self, rows):
        self.rows += [list(r) for r in rows]
        self.at.append(len(self.rows))

    def arrays(self, name):
        shape = (-1, self.columns) if self.columns > 1 else (-1,)
        return {name: np.array(self.rows, self.dtype).reshape(shape), name + "_at": np.array(self.at, np.int32)}


def write_cases(path, boards):
    """cases.npz with the figures of spec_features.py. boards: (kind, observation, history)."""
    tables = {"planets": Ragged(7, np.float64), "fleets": Ragged(7, np.float64), "initial_planets": Ragged(7, np.float64),
              "comet_planet_ids": Ragged(1, np.int32), "comets": Ragged(4, np.int32), "paths": Ragged(2, np.float64),
              "snapshots": Ragged(4, np.int32), "launches": Ragged(3, np.int32)}
    plain = {k: [] for k in ("kind", "player", "step", "omega", "snapshot_count", "out_planet", "out_global", "out_valid", "out_mine", "out_target")}
    kinds = sorted({kind for kind, _, _ in boards})
    for kind, obs, history in boards:
        for name in ("planets", "fleets", "initial_planets"):
            tables[name].add(obs[name])
        tables["comet_planet_ids"].add([[i] for i in obs["comet_planet_ids"]])
        comets = []
        for group, g in enumerate(obs["comets"]):
            for pid, points in zip(g["planet_ids"], g["paths"]):
                comets.append([group, pid, g["path_index"], len(tables["paths"].at) - 1])
                tables["paths"].add(points)
        tables["comets"].add(comets)
        tables["snapshots"].add([k, pid, owner, ships] for k, snap in enumerate(history.snaps) for pid, (ships, owner) in snap.items())
        tables["launches"].add(history.launches)
        out = spec.features(obs, history)
        values = (kinds.index(kind), obs["player"], obs["step"], obs["angular_velocity"], len(history.snaps), out["planet"], out["globals"],
                  out["valid"], out["mine"], out["target"])
        for name, value in zip(plain, values):
            plain[name].append(value)
    arrays = {name: np.array(values) for name, values in plain.items()}
    for name, table in tables.items():
        arrays.update(table.arrays(name))
    np.savez_compressed(path, kind_names=np.array(kinds), **arrays)


def write_moves(path, boards, actions):
    """moves.npz with the figures of spec_decoder.py; returns how the strict decoder decided."""
    moves, strict, reasons = Ragged(4, np.int32), Ragged(4, np.int32), {}
    bearing, angle, ok, strict_angle = [], [], [], []
    for (_, obs, _), (target, x) in zip(boards, actions):
        rows = spec_decoder.plain(obs, target, x)
        moves.add(r[:4] for r in rows)
        bearing += [r[4] for r in rows]
        ok += [r[5] is not None for r in rows]
        angle += [r[5] or 0.0 for r in rows]
        rows = spec_decoder.strict(obs, target, x, reasons)
        strict.add(r[:4] for r in rows)
        strict_angle += [r[4] for r in rows]
    np.savez_compressed(path, case_index=np.arange(len(boards)), target=np.array([a[0] for a in actions], np.int64), x=np.array([a[1] for a in actions]),
                        moves_angle_bearing=np.array(bearing, np.float64), moves_angle_intercept=np.array(angle, np.float64),
                        moves_intercept_ok=np.array(ok, bool), strict_angle=np.array(strict_angle, np.float64),
                        **moves.arrays("moves"), **strict.arrays("strict"))
    return reasons


def write_aims(path, rng, boards, per_board):
    """aim.npz: random pairs of planets of the boards; returns the share with an answer."""
    real, whole, out_real, out_turns, out_ok, paths = [], [], [], [], [], Ragged(2, np.float64)
    for _, obs, _ in boards:
        for _ in range(per_board if len(obs["planets"]) > 1 else 0):
            source, goal = rng.sample(obs["planets"], 2)
            ships = rng.choice((1, rng.randrange(1, 30), rng.randrange(1, 1500)))
            init = next((r for r in obs["initial_planets"] if r[0] == goal[0]), None)
            points, index = spec.comet_path(obs["comets"], goal[0])
            listed = goal[0] in obs["comet_planet_ids"]
            known = listed and any(goal[0] in g["planet_ids"] for g in obs["comets"])
            real.append(source[2:5] + goal[2:5] + (init[2:5] if init else [0.0] * 3) + [obs["angular_velocity"]])
            whole.append([ships, init is not None, listed, len(paths.at) - 1 if known else -1, index])
            if known:
                paths.add(points)
            aim = spec.aim(source, goal, ships, obs)
            out_ok.append(aim is not None)
            out_turns.append(aim[1] if aim else 0)
            out_real.append([aim[0], aim[2], aim[3]] if aim else [0.0] * 3)
    np.savez_compressed(path, real=np.array(real), whole=np.array(whole, np.int32), out_ok=np.array(out_ok, bool), out_turns=np.array(out_turns, np.int32),
                        out_real=np.array(out_real, np.float64), branch=np.zeros(len(real), np.int8), branch_names=np.array(["random"]),
                        **paths.arrays("paths"))
    return sum(out_ok) / max(1, len(out_ok))


def write_all(folder, rng, games=8, per_game=14, altered=90):
    """A folder for orbit_parity features: fresh official boards and altered ones. Returns what the boards held."""
    boards = [("official", obs, history) for obs, history in official_boards(rng, games, per_game)]
    for _, obs, _ in rng.sample(boards, altered):
        changed = json.loads(json.dumps(obs))
        alter(rng, changed)
        boards.append(("altered", changed, made_up_history(rng, changed)))
    folder.mkdir(parents=True, exist_ok=True)
    write_cases(folder / "cases.npz", boards)
    reasons = write_moves(folder / "moves.npz", boards, [random_action(rng, obs) for _, obs, _ in boards])
    answered = write_aims(folder / "aim.npz", rng, boards, per_board=12)
    return {"boards": boards, "reasons": reasons, "answered": answered, "folder": folder}

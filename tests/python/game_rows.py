"""Games in the operators' tensors as the observations that the official game gives: for the plain implementations of the spec."""
import sys
from pathlib import Path

from orbit_ops import bank as by_name
from orbit_ops import ops

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "data" / "features"))
import spec_features as spec  # noqa: E402, F401

FIXED, ORBITING, COMET, INERT = range(4)


def fields_of(state, env):
    """One environment's fields by name, as lists; scalars as they are."""
    return {name: t[env].tolist() for name, t in zip(ops.state_names(), state, strict=True)}


def symmetric(x, y, member):
    return [[y, x], [100 - x, y], [x, 100 - y], [100 - y, 100 - x]][member]


def comet_groups(fields, bank, board):
    """Groups of the waves that fly, with their members' paths."""
    lengths, px, py = (by_name(bank)[n][board].tolist() for n in ("path_length", "path_x", "path_y"))
    scalars, groups = fields["scalars"], {}
    for i in range(scalars[1]):
        if fields["planet_kind"][i] == COMET:
            q = fields["planet_path"][i]
            row = q // 4 if len(lengths) == 5 else q
            points = [[px[row][k], py[row][k]] for k in range(lengths[row])]
            group = groups.setdefault(q // 4, {"planet_ids": [], "paths": [], "path_index": scalars[16 + q // 4]})
            group["planet_ids"].append(fields["planet_id"][i])
            group["paths"].append([symmetric(*p, q % 4) for p in points] if len(lengths) == 5 else points)
    return list(groups.values())


def observation_of(state, bank, env):
    f = fields_of(state, env)
    count, board = f["scalars"][1], f["scalars"][6]
    rows = [[f["planet_" + n][i] for n in ("id", "owner", "x", "y", "radius", "ships", "production")] for i in range(count)]
    first = []
    for i, row in enumerate(rows):
        orbits = f["planet_kind"][i] == ORBITING
        first.append(row[:2] + ([50 + f["planet_arm_x"][i], 50 + f["planet_arm_y"][i]] if orbits else row[2:4]) + row[4:])
    return {"step": f["scalars"][0], "planets": rows, "initial_planets": [r for i, r in enumerate(first) if f["planet_kind"][i] < COMET],
            "comet_planet_ids": [r[0] for i, r in enumerate(rows) if f["planet_kind"][i] >= COMET], "comets": comet_groups(f, bank, board),
            "angular_velocity": float(by_name(bank)["omega"][board])}

"""States that a caller has damaged: an error that names environment and field, and nothing written there; damaged orders: no effect."""
import copy

import op_cases
import pytest
import torch
from orbit_ops import fresh_random, ops

LARGE = (-(2**31), -(2**30) - 1, 2**30 + 1, 2**31 - 1)
SCALARS = {"step": 0, "planet_count": 1, "fleet_count": 2, "next_fleet_id": 3, "refused": 5, "board": 6, "snapshot_count": 7}
DAMAGE = [(name, column, value) for name, column in SCALARS.items() for value in (-1, *LARGE) if (name, value) != ("board", -1)]
DAMAGE += [("wave_members", 8, 16), ("wave_members", 15, 1), ("wave_index", 16, -2), ("wave_index", 23, 2**31 - 1)]
ARRAYS = {"planet_id": LARGE, "planet_owner": (-2, 4, *LARGE), "planet_ships": (-1, 2**25, *LARGE), "planet_production": (-1, *LARGE),
          "planet_kind": (-1, 4, *LARGE), "fleet_owner": (-2, 4, *LARGE), "fleet_ships": (-1, *LARGE)}
DAMAGE += [(name, slot, value) for name, values in ARRAYS.items() for value in values for slot in (0,)]
READERS = ("step_", "observe_", "aim_", "decode_", "scripted_moves_", "standing_", "reward_")


def with_a_fleet(args):
    """Environment 1 has fleets in flight in the cases; its state tensors by name."""
    return dict(zip(ops.state_names(), args[0], strict=True))


@pytest.mark.parametrize("op", READERS)
def test_damage_is_named(op):
    case = op_cases.cases()[op]
    assert with_a_fleet(case)["scalars"][1, 2] > 0
    for name, at, value in DAMAGE:
        args = copy.deepcopy(case)
        state = with_a_fleet(args)
        state["scalars" if name in SCALARS or name.startswith("wave") else name][1, at] = value
        before = copy.deepcopy(args)
        with pytest.raises(RuntimeError, match=rf"environment 1: {name} is out of range"):
            getattr(ops, op)(*args)
        for was, now in zip(before, args):
            for a, b in zip(was, now) if isinstance(was, list) and isinstance(was[0], torch.Tensor) else [(was, now)]:
                if isinstance(a, torch.Tensor) and a.dim() and a.shape[0] == op_cases.N:
                    a, b = a[1].clone(), b[1].clone()
                    if a.shape == (32,):
                        a[28] = b[28] = 0  # a turn notes the fault
                    assert torch.equal(a, b), (name, value)


def test_a_comet_names_a_path_of_its_board():
    args = op_cases.cases()["step_"]
    state = with_a_fleet(args)
    last = state["scalars"][2, SCALARS["planet_count"]] - 1
    state["planet_kind"][2, last], state["planet_path"][2, last] = 2, 20
    with pytest.raises(RuntimeError, match="environment 2: planet_path is out of range"):
        ops.step_(*args)


def test_a_damaged_bank_is_named():
    for name, value in (("path_length", 41), ("wave_step", None)):
        args = op_cases.cases()["step_"]
        bank = dict(zip(ops.bank_names(), args[1], strict=True))
        if name == "path_length":
            bank[name][1, 3] = value
        else:
            bank[name][1, 6] = int(args[0][-1][1, 0]) + 1  # a wave past the board's paths
        with pytest.raises(RuntimeError, match=f"environment 1: {name} is out of range"):
            ops.step_(*args)
    args = op_cases.cases()["reset_"]
    args[3][2] = 2
    with pytest.raises(RuntimeError, match="environment 2: board is out of range"):
        ops.reset_(*args)


def test_orders_that_are_none_have_no_effect():
    rng = fresh_random()
    for _ in range(30):
        args = op_cases.cases()["step_"]
        count, source, ships, angle = args[2:6]
        count.fill_(source.shape[2] + rng.choice((0, 1, 10**6)))
        source.random_(-(2**31), 2**31 - 1)
        ships.random_(-(2**31), 2**31 - 1)
        angle.fill_(rng.choice((float("nan"), float("inf"), -1e300)))
        quiet = copy.deepcopy(args)
        quiet[2].fill_(rng.choice((0, -1, -(2**31))))
        ops.step_(*args)
        ops.step_(*quiet)
        for name, a, b in zip(ops.state_names(), args[0], quiet[0]):
            if not name.startswith(("launch", "fleet")):
                assert torch.equal(a, b), name

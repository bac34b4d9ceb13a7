"""The operator aim_ against the plain implementation of the spec, on boards in mid-game."""
import math

import torch
from game_rows import observation_of, spec
from orbit_ops import fresh_random, make_moves, ops


def games(rng, count, turns):
    """States of `count` games of 4 seats after that many turns of random play, and their bank."""
    bank = ops.make_boards([str(rng.randrange(10**6)) for _ in range(count)])
    state, moves = ops.make_state(count, 256), make_moves(count, 4, 48)
    seats = torch.arange(4, dtype=torch.int32).expand(count, 4).contiguous()
    ops.reset_(state, bank, torch.ones(count, dtype=torch.bool), torch.arange(count, dtype=torch.int32), 4)
    for t in range(turns):
        ops.scripted_moves_(state, bank, seats, 1, rng.randrange(2**31), torch.tensor(t), *moves)
        ops.step_(state, bank, *moves, 4, 500, 6.0, 0)
    return state, bank


def answers(shape):
    return [torch.full(shape, 7, dtype=d) for d in (torch.bool, torch.int32, torch.float64, torch.float64, torch.float64)]


def test_whole_grids():
    rng = fresh_random()
    asked = answered = 0
    for turns in (0, rng.randrange(30, 49), rng.randrange(50, 90)):
        state, bank = games(rng, 3, turns)
        size = 48
        ships = torch.tensor([[[rng.choice((1, rng.randrange(1, 40), rng.randrange(1, 1500), 0, -3)) for _ in range(size)]
                               for _ in range(size)] for _ in range(3)], dtype=torch.int32)
        ok, n, angle, x, y = out = answers(ships.shape)
        ops.aim_(state, bank, ships, *out)
        for env in range(3):
            obs = observation_of(state, bank, env)
            planets = obs["planets"]
            for i in range(size):
                for j in range(size):
                    if rng.random() > 0.25:
                        continue
                    real = ships[env, i, j] > 0 and i != j and max(i, j) < len(planets)
                    want = spec.aim(planets[i], planets[j], int(ships[env, i, j]), obs) if real else None
                    assert bool(ok[env, i, j]) == (want is not None), (turns, env, i, j)
                    got = [float(angle[env, i, j]), int(n[env, i, j]), float(x[env, i, j]), float(y[env, i, j])]
                    if want is None:
                        assert got == [0, 0, 0, 0]
                        asked += real
                        continue
                    assert got[1] == want[1], (turns, env, i, j)
                    off = math.remainder(got[0] - want[0], 2 * math.pi)
                    assert max(abs(off), abs(got[2] - want[2]), abs(got[3] - want[3])) < 1e-6, (turns, env, i, j)
                    asked += 1
                    answered += 1
    assert 0.2 < answered / asked < 0.95


def test_narrow_grid_equals_the_whole():
    rng = fresh_random()
    state, bank = games(rng, 2, 60)
    ships = torch.full((2, 24, 36), 30, dtype=torch.int32)
    whole, narrow = answers(ships.shape), answers((2, 3, 2))
    ops.aim_(state, bank, ships, *whole)
    ops.aim_(state, bank, ships[:, :3, :2].contiguous(), *narrow)
    assert all(torch.equal(a[:, :3, :2], b) for a, b in zip(whole, narrow))

"""Boards of fresh seeds beside the official code, bit for bit."""
import random

import pytest

import orbit_ops


def fresh_seeds():
    rng = orbit_ops.fresh_random()
    return [rng.randrange(2**31) for _ in range(12)] + [-rng.randrange(2**40), rng.randrange(2**70, 2**90)]


def official_wave(oracle, start, seed, step):
    """path of member 0 and ships, as the official interpreter makes them; None where it gives up."""
    rng = random.Random(f"orbit_wars-comet-{seed}-{step}")
    paths = oracle.official().generate_comet_paths(start.initial_planets, start.angular_velocity, step, [], 4.0, rng=rng)
    return paths and (paths[0], min(rng.randint(1, 99) for _ in range(4)))


def test_boards_equal_the_official_ones():
    oracle = orbit_ops.official_oracle()
    seeds = fresh_seeds()
    bank = orbit_ops.bank(orbit_ops.ops.make_boards([str(s) for s in seeds]))
    for row, seed in enumerate(seeds):
        start = oracle.Game(4, seed).obs
        assert bank["omega"][row].item() == start.angular_velocity, seed
        assert bank["planet_count"][row].item() == len(start.initial_planets), seed
        for slot, planet in enumerate(start.initial_planets):
            ours = [bank[name][row, slot].item() for name in ("planet_x", "planet_y", "planet_ships", "planet_production")]
            assert ours == [planet[2], planet[3], planet[5], planet[6]], (seed, slot)
        assert [bank["home"][row].item() + seat for seat in range(4)] == [p[0] for p in start.planets if p[1] >= 0], seed


@pytest.mark.parametrize("wave", range(5))
def test_waves_equal_the_official_ones(wave):
    oracle = orbit_ops.official_oracle()
    seeds, step = fresh_seeds()[::3], (50, 150, 250, 350, 450)[wave]
    bank = orbit_ops.bank(orbit_ops.ops.make_boards([str(s) for s in seeds]))
    for row, seed in enumerate(seeds):
        theirs = official_wave(oracle, oracle.Game(2, seed).obs, seed, step)
        length = bank["path_length"][row, wave].item()
        assert bank["wave_step"][row, wave].item() == (step if theirs else 0), seed
        if theirs is None:
            assert length == 0, seed
            continue
        path = list(zip(bank["path_y"][row, wave, :length].tolist(), bank["path_x"][row, wave, :length].tolist()))
        assert path == [tuple(point) for point in theirs[0]], seed
        assert bank["wave_ships"][row, wave].item() == theirs[1], seed


def test_refuses_a_fractional_seed():
    with pytest.raises(RuntimeError, match='seed "5.0" is not a whole number'):
        orbit_ops.ops.make_boards(["5.0"])

"""Aims of all source-target pairs through the operator beside the plain double loop in Python (tests/data/features/spec_features.py).

    python benchmarks/aim_vs_python.py [--environments N] [--rounds N] [--grids 1,8,24,48]

The same boards in mid-game (turn 60: comets fly), the same ships, one core each, alternated; process time. The Python loop runs over
a few of the environments in each round, the operator over all of them. A grid of 1 is one pair a call.
"""
import argparse
import random
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "tests" / "python"))

import torch  # noqa: E402
from game_rows import observation_of, spec  # noqa: E402
from orbit_ops import make_moves, ops  # noqa: E402


def games(count, turns):
    bank = ops.make_boards([str(s) for s in range(count)])
    state, moves = ops.make_state(count, 256), make_moves(count, 4, 48)
    seats = torch.arange(4, dtype=torch.int32).expand(count, 4).contiguous()
    ops.reset_(state, bank, torch.ones(count, dtype=torch.bool), torch.arange(count, dtype=torch.int32), 4)
    for t in range(turns):
        ops.scripted_moves_(state, bank, seats, 1, 7, torch.tensor(t), *moves)
        ops.step_(state, bank, *moves, 4, 500, 6.0, 1)
    return state, bank


def seconds_per(call, at_least=0.2):
    calls, begin = 0, time.process_time()
    while (spent := time.process_time() - begin) < at_least:
        call()
        calls += 1
    return spent / calls


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--environments", type=int, default=64)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--grids", default="1,8,24,48")
    args = parser.parse_args()
    torch.set_num_threads(1)
    rng, n = random.Random(1), args.environments
    state, bank = games(n, 60)
    boards = [observation_of(state, bank, env) for env in range(n)]
    print("| environments | grid | operator, us a pair | Python, us a pair | times faster (lowest to highest) |\n|---|---|---|---|---|")
    for environments, size in [(1, 1)] + [(n, int(g)) for g in args.grids.split(",")]:
        some = [t[:environments].contiguous() for t in state]
        shape = (environments, size, size)
        ships = torch.tensor([rng.randrange(1, 300) for _ in range(environments * size * size)], dtype=torch.int32).reshape(shape)
        out = [torch.zeros(shape, dtype=d) for d in (torch.bool, torch.int32, torch.float64, torch.float64, torch.float64)]
        first = 1 if size == 1 else 0  # one pair: of slots 0 and 1, for which the grid needs two columns
        if first:
            ships = ships.expand(environments, 1, 2).contiguous()
            out = [t.expand(environments, 1, 2).contiguous() for t in out]

        def loop(env):
            planets, rows = boards[env]["planets"], ships[env].tolist()
            for i in range(min(size, len(planets))):
                for j in range(first, min(size + first, len(planets))):
                    if i != j:
                        spec.aim(planets[i], planets[j], rows[i][j], boards[env])

        ratios, ours, theirs = [], [], []
        for _ in range(args.rounds):
            mine = seconds_per(lambda: ops.aim_(some, bank, ships, *out)) / environments
            sample = rng.sample(range(environments), min(environments, 2 if size > 8 else 16))
            python = seconds_per(lambda: [loop(env) for env in sample], 0.05) / len(sample)
            ratios.append(python / mine)
            ours.append(mine)
            theirs.append(python)
        pairs = size * size
        print(f"| {environments} | {size} x {size} | {1e6 * statistics.median(ours) / pairs:.3f} | {1e6 * statistics.median(theirs) / pairs:.2f} "
              f"| {statistics.median(ratios):.0f} ({min(ratios):.0f} to {max(ratios):.0f}) |", flush=True)


if __name__ == "__main__":
    main()

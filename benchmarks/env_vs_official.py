#!/usr/bin/env python3
"""Steps per second of the game on one core, ours and the official interpreter's, on the same recorded play, in one run.

    python benchmarks/env_vs_official.py [--rounds 5] [--loads 0,11,100] [--num-envs 64,512,2048]

Rounds alternate between the two, so that a busy machine hits both alike; process time counts, on one core. Each side plays
every move of the recorded games of a load (so many fleets in flight on average); ours plays them through the operator step_ in
--num-envs environments in lockstep, the first of these numbers beside the official one, the others alone. Turns that generate a comet wave are apart: there the official interpreter searches an orbit, while our boards
come with their waves; what such a wave costs us is at most a fifth of a whole board. Printed: medians over the rounds, and the
ratio with its least and most. Needs build/bin/orbit_bench, build/lib/liborbit_ops.so and kaggle-environments 1.33.2.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "python"), str(ROOT / "tests" / "data")]

import oracle  # noqa: E402
import orbit_ops  # noqa: E402

TRACES = ROOT / "tests" / "data" / "traces"
BENCH = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build")) / "bin" / "orbit_bench"
LOADS = {0: ["noop-2p-0", "noop-2p-1"], 11: ["comet-2p-a", "light-2p-b"], 100: ["greedy-2p-a", "greedy-2p-b"]}
WAVE_STEPS = (50, 150, 250, 350, 450)


def files(load):
    return [str(TRACES / f"{name}.jsonl.gz") for name in LOADS[load]]


def official(games):
    """Seconds a turn of the official interpreter: without a wave, and with one."""
    plain, wave = [], []
    for lines in games:
        head = lines[0]
        game = oracle.Game(head["players"], head["seed"], head["configuration"])
        for turn in lines[1:]:
            actions = json.loads(json.dumps(turn["a"]))
            before = time.process_time()
            game.step(actions)
            (wave if turn["t"] in WAVE_STEPS else plain).append(time.process_time() - before)
    return statistics.fmean(plain), statistics.fmean(wave)


def ours(load, num_envs):
    """Seconds a turn of ours, and the fleets in flight."""
    command = [str(BENCH), "env", "--num-envs", str(num_envs), "--threads", "1", "--part", "step", "--json", "-"]
    for file in files(load):
        command += ["--trace", file]
    row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return row["cpu_ns_per_step"] * 1e-9, row["mean_fleets"]


def our_board(seed, count=50):
    before = time.process_time()
    orbit_ops.ops.make_boards([str(s) for s in range(seed, seed + count)], 4.0, False, 1)
    return (time.process_time() - before) / count


def spread(values, form):
    return f"{statistics.median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--loads", default="0,11,100")
    parser.add_argument("--num-envs", default="64,512,2048")
    args = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    our_board(0, 1)
    batches = [int(n) for n in args.num_envs.split(",")]
    waves, boards = [], []
    for load in map(int, args.loads.split(",")):
        games = [game for file in files(load) for game in oracle.load(file)]
        theirs, mine, ratios = [], {n: [] for n in batches}, {n: [] for n in batches}
        for _ in range(args.rounds):
            plain, wave = official(games)
            theirs.append(1 / plain)
            waves.append(1000 * wave)
            boards.append(our_board(1000 * len(boards)))
            for n in batches:
                seconds, fleets = ours(load, n)
                mine[n].append(1 / seconds)
                ratios[n].append(plain / seconds)
        print(f"{fleets:.1f} fleets: official {spread(theirs, '.0f')} steps/s")
        for n in batches:
            print(f"  {n:>5} environments: {spread(mine[n], '.0f')} steps/s, {spread(ratios[n], '.0f')} x official", flush=True)
    ours_ms = 1000 * statistics.median(boards) / len(WAVE_STEPS)
    print(f"a wave: official {statistics.median(waves):.1f} ms in its turn; ours at most {ours_ms:.2f} ms, with its board")


if __name__ == "__main__":
    main()

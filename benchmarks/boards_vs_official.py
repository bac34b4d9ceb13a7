#!/usr/bin/env python3
"""Boards with their five comet waves per second on one core: ours fast, ours word for word, and the official code, in one run.

    python benchmarks/boards_vs_official.py [--rounds 7] [--seconds 1.5]

Rounds alternate between the three, so that a busy machine hits all alike; each takes seeds of its own. Printed: the median
over the rounds, the least and the most, and the ratio of the medians. Needs build/lib/liborbit_ops.so and kaggle-environments
1.33.2.
"""
import argparse
import random
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests" / "python"), str(ROOT / "tests" / "data")]

import oracle  # noqa: E402
import orbit_ops  # noqa: E402

WAVE_STEPS = (50, 150, 250, 350, 450)


def ours(word_for_word):
    def make(seeds):
        orbit_ops.ops.make_boards([str(s) for s in seeds], 4.0, word_for_word, 1)

    return make


def official(seeds):
    for seed in seeds:
        start = oracle.Game(2, seed).obs
        for step in WAVE_STEPS:
            rng = random.Random(f"orbit_wars-comet-{seed}-{step}")
            oracle.official().generate_comet_paths(start.initial_planets, start.angular_velocity, step, [], 4.0, rng=rng)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1.5, help="about, for each kind and round")
    args = parser.parse_args()

    kinds = {"fast": (ours(False), 1000), "word for word": (ours(True), 40), "official": (official, 2)}
    rates = {name: [] for name in kinds}
    for make, _ in kinds.values():
        make([0])  # tables, imports
    seed = 0
    for _ in range(args.rounds):
        for name, (make, guess) in kinds.items():
            count = max(1, int((statistics.median(rates[name]) if rates[name] else guess) * args.seconds))
            before = time.process_time()
            make(range(seed, seed + count))
            rates[name].append(count / (time.process_time() - before))
            seed += count
    base = statistics.median(rates["official"])
    print(f"{'boards/s, one core':<20}{'median':>10}{'least':>10}{'most':>10}{'x official':>12}")
    for name, r in rates.items():
        median = statistics.median(r)
        print(f"{name:<20}{median:>10.1f}{min(r):>10.1f}{max(r):>10.1f}{median / base:>12.1f}")


if __name__ == "__main__":
    main()

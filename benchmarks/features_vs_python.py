#!/usr/bin/env python3
"""Features of one seat on one core: the operator observe_ and the plain Python oracle, on the same recorded play, in one run.

    python benchmarks/features_vs_python.py [--rounds 5] [--loads 0,11,100] [--num-envs 64]

Rounds alternate between the two, so that a busy machine hits both alike; process time counts. The oracle
(tests/data/features/spec_features.py, written from the spec) looks at every --every-th state of the recorded games from both seats;
ours at all of them, in --num-envs environments in lockstep (orbit_bench env, part step+features, of which the share of the features
counts). Printed: medians over the rounds, and the ratio, with least and most. Needs build/bin/orbit_bench and
kaggle-environments 1.33.2.
"""
import argparse
import json
import os
import statistics
import subprocess
import time

import env_vs_official as env  # also puts tests/ on the path

import feature_boards  # noqa: E402
import oracle  # noqa: E402
import spec_features  # noqa: E402


def states(load, every):
    """(observation, history) of both seats, every so many turns of the recorded games."""
    found = []
    for file in env.files(load):
        for lines in oracle.load(file):
            head = lines[0]
            game = oracle.Game(head["players"], head["seed"], head["configuration"])
            history = [spec_features.History() for _ in range(head["players"])]
            for number, turn in enumerate(lines[1:]):
                for seat, kept in enumerate(history):
                    seen = feature_boards.observation(game, seat)
                    if number % every == every // 2:
                        copy = spec_features.History()
                        copy.snaps, copy.launches = list(kept.snaps), list(kept.launches)
                        found.append((seen, copy))
                    kept.push(seen, turn["a"][seat] or ())
                game.step(json.loads(json.dumps(turn["a"])))
    return found


def python_seconds(found):
    before = time.process_time()
    for seen, history in found:
        spec_features.features(seen, history)
    return (time.process_time() - before) / len(found)


def our_seconds(load, num_envs):
    command = [str(env.BENCH), "env", "--num-envs", str(num_envs), "--threads", "1", "--part", "step+features", "--json", "-"]
    for file in env.files(load):
        command += ["--trace", file]
    row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return row["cpu_ns_per_step"] * row["share"]["features"] / row["players"] * 1e-9, row["mean_fleets"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--loads", default="0,11,100")
    parser.add_argument("--num-envs", type=int, default=64)
    parser.add_argument("--every", type=int, default=9)
    args = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    print(f"{'fleets':>7}  {'ours, us a seat':<28}{'Python, us a seat':<36}ours / Python")
    for load in map(int, args.loads.split(",")):
        found = states(load, args.every)
        mine, theirs, ratios = [], [], []
        for _ in range(args.rounds):
            theirs.append(1e6 * python_seconds(found))
            seconds, fleets = our_seconds(load, args.num_envs)
            mine.append(1e6 * seconds)
            ratios.append(theirs[-1] / mine[-1])
        print(f"{fleets:>7.1f}  {env.spread(mine, '.2f'):<28}{env.spread(theirs, '.0f'):<36}{env.spread(ratios, '.0f')} x", flush=True)


if __name__ == "__main__":
    main()

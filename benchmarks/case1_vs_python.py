#!/usr/bin/env python3
"""One PPO iteration of configs/case1.yaml: ours, the same policy in eager PyTorch, and in JAX under jit, in one run.

    python benchmarks/case1_vs_python.py [--rounds 5] [--threads 2] [--jax-python .../bin/python] [--steps 128] [--whole]

An iteration is 16 games x 500 steps with both seats learning, 2 epochs, minibatch 256: 500 forwards of 32 states and 126 updates of
256. A round times, one side after the other, 32 forwards with sampling and 8 updates of PyTorch and of JAX, and of ours
--steps steps of the games and 8 updates on their states; an iteration is put together from them. The Python sides play no game and
have no KL term; ours plays (its time with and without the game is given). What Python computes does not depend on the states, as
it computes every row; ours skips rows that are not there, so it gets states from its own games, played by fresh weights. Printed:
median over the rounds (least to most), and ratios within a round, by the clock on the wall and by processor time; on a machine with
other work only the latter says much, with one thread. --whole adds one whole iteration of ours as a check (minutes).

Leave OMP_WAIT_POLICY unset: each side then has its own default, and PyTorch is a fifth slower with "passive".
Needs build/bin/orbit_bench and PyTorch; for JAX a Python with benchmarks/requirements-others.txt (left out without --jax-python).
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BENCH = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build")) / "bin" / "orbit_bench"
GAMES, HORIZON, MINIBATCHES = 16, 500, 2 * ((16 * 500 * 2 + 255) // 256)


class PythonSide:
    """A process that times a round each time it is asked to."""

    def __init__(self, python, script, *arguments):
        self.process = subprocess.Popen([python, ROOT / "benchmarks" / script, *map(str, arguments)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)
        self.name = self.process.stdout.readline().strip()
        if not self.name:
            sys.exit(f"{script} ended early")

    def round(self, clock_names=("wall", "cpu")):
        self.process.stdin.write("\n")
        self.process.stdin.flush()
        times = json.loads(self.process.stdout.readline())
        return {clock: times["rollout"][clock] * HORIZON / 32 + times["update"][clock] * MINIBATCHES / 8 for clock in clock_names}

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def ours(threads, *arguments):
    """Seconds of an iteration; wall without the game too."""
    command = [BENCH, "train", "--config", ROOT / "configs/case1.yaml", "--set", "environment.board_bank_size=64", "--threads",
               str(threads), "--rounds", "1", "--json", "-", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    env, inference, update = (json.loads(line) for line in done.stdout.splitlines())
    steps = GAMES * HORIZON
    return {"wall": steps * update["ns_per_step"] * 1e-9, "cpu": steps * update["cpu_ns_per_step"] * 1e-9,
            "wall without the game": steps * (update["ns_per_step"] - env["ns_per_step"]) * 1e-9,
            "share_of_peak": update["share_of_peak"], "peak": update["peak_flop_per_second"]}


def spread(values, form=".1f"):
    return f"{statistics.median(values):{form}} ({min(values):{form}} to {max(values):{form}})"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--jax-python")
    parser.add_argument("--steps", type=int, default=128)
    parser.add_argument("--whole", action="store_true")
    args = parser.parse_args()
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[: args.threads]))  # JAX takes its number of threads from this
    with tempfile.TemporaryDirectory() as folder:
        shared = Path(folder) / "case1.npz"
        sides = [PythonSide(sys.executable, "case1_torch.py", shared, args.threads)]
        if args.jax_python:
            sides.append(PythonSide(args.jax_python, "case1_jax.py", shared))
        rounds = []
        for number in range(args.rounds):
            rounds.append({"ours": ours(args.threads, "--steps", str(args.steps), "--minibatches", "8")}
                          | {side.name: side.round() for side in sides})
            print(number, json.dumps(rounds[-1]), flush=True)
        for side in sides:
            side.close()
    for clock in ("wall", "cpu"):
        mine = [r["ours"][clock] for r in rounds]
        print(f"ours: {spread(mine)} s {clock}")
        for side in sides:
            theirs = [r[side.name][clock] for r in rounds]
            print(f"{side.name}: {spread(theirs)} s {clock}, {spread([t / m for t, m in zip(theirs, mine)], '.2f')} x ours")
    if args.whole:
        whole = ours(args.threads)
        print(f"a whole iteration of ours: {whole['wall']:.1f} s wall, {whole['cpu']:.1f} s cpu")


if __name__ == "__main__":
    main()

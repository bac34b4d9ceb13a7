#!/usr/bin/env python3
"""CartPole learned by PPO at every tier between Python loops and compiled ones, in one run: the same network, sizes and setting.

    python benchmarks/loop_tiers.py --others-python .../bin/python [--sizes 8,16,64,128,1024,4096] [--sides ...] [--rounds 3]
    python benchmarks/loop_tiers.py --sizes 16 --updates 300 --parts train ...              # rl2xla's headline
    python benchmarks/loop_tiers.py --sizes 2048 --trunk separate --sides fused,jax ...     # two networks

Tier 2 is gymnasium's Python environments in a PyTorch loop, 3 ours in the same loop, 4 orbit_train through autograd (4b in bfloat16),
5 orbit_train with fused operators; beside them a single-jit loop in JAX, rl2xla and Stable-Baselines3, which need a Python with
benchmarks/requirements-others.txt. loops/ holds a script a side, loops/side.py what they share: two hidden layers of 64 tanh, 128
steps, 4 epochs of 8 minibatches, nothing normalised but advantages.

Each side is a process; they take turns, part by part, in every round, while the others sleep. What compiles does so before. Printed:
steps a second by the clock on the wall and by processor time (of all threads), median over the rounds (least to most), and how many
times as many --than does, within a round. Writes loop_tiers.json and loop_tiers.svg. On a machine with other work the wall's
figures say little of two threads.
"""
import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from pathlib import Path

import loop_plot

ROOT = Path(__file__).resolve().parents[1]
LOOPS = ROOT / "benchmarks" / "loops"
PARTS = ("env", "rollout", "train")
BF16_SIZES = (8, 16)  # a CPU has no fast bfloat16: shown, not measured throughout
# name: tier, script, its options
SIDES = {
    "gymnasium-torch": ("2", "torch_loop.py", ["--env", "gymnasium"]),
    "native-torch": ("3", "torch_loop.py", ["--env", "native"]),
    "eager": ("4", "orbit_loop.py", ["--loop", "eager"]),
    "eager-bf16": ("4b", "orbit_loop.py", ["--loop", "eager-bf16"]),
    "fused": ("5", "orbit_loop.py", ["--loop", "fused"]),
    "fused-1-thread": ("5", "orbit_loop.py", ["--loop", "fused", "--threads", "1"]),
    "jax": ("", "jax_loop.py", []),
    "rl2xla": ("", "rl2xla_loop.py", []),
    "sb3": ("", "sb3_loop.py", []),
}
OTHERS = ("jax", "rl2xla", "sb3")


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.exit(2, f"{self.prog}: {message}\n")


class Side:
    """A process that measures a part each time it is asked to."""

    def __init__(self, name, num_envs, options):
        _, script, more = SIDES[name]
        python = options.others_python if name in OTHERS else sys.executable
        command = [python, LOOPS / script, "--wait", "--num-envs", str(num_envs), "--trunk", options.trunk, "--threads",
                   str(options.threads), "--seconds", str(options.seconds), "--updates", str(options.updates), *more]
        self.name = name
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.parts = self.read()["parts"]

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"loop_tiers.py: side {self.name} ended early, with exit code {self.process.wait()}")
        return json.loads(line)

    def measure(self, part):
        self.process.stdin.write(part + "\n")
        self.process.stdin.flush()
        return self.read()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


def measure_size(num_envs, options):
    """Rows of all sides, parts and rounds."""
    names = [name for name in options.sides if name != "eager-bf16" or num_envs in BF16_SIZES]
    sides, rows, slow = [Side(name, num_envs, options) for name in names], [], set()
    for number in range(options.rounds):
        for part in options.parts:
            for side in sides:
                if part not in side.parts or (side.name, part) in slow:
                    continue
                row = side.measure(part) | {"side": side.name, "num_envs": num_envs, "round": number, "load": os.getloadavg()[0]}
                rows.append(row)
                if row["seconds"] > options.most_seconds:
                    slow.add((side.name, part))
                rate = f"{row['steps_per_second']:,.0f} steps/s"
                print(f"{num_envs} environments, round {number + 1}, {part}, {side.name}: {rate}", flush=True)
    for side in sides:
        side.close()
    return rows


def select(rows, **wanted):
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


def by_round(rows, clock):
    return {row["round"]: row["steps"] / row[clock] for row in rows if row.get(clock)}


def spread(values, form):
    text = f"{statistics.median(values):{form}}"
    return text if len(values) == 1 else f"{text} ({min(values):{form}} to {max(values):{form}})"


def columns(rows, reference, clock):
    """Steps a second, and how many times as many the reference does."""
    rates, best = by_round(rows, clock), by_round(reference, clock)
    if not rates:
        return "", ""
    ratios = [best[number] / rate for number, rate in rates.items() if number in best]
    return spread(list(rates.values()), ",.0f"), spread(ratios, ".2f") if ratios else ""


def table(rows, options, num_envs, part):
    lines = [f"\n{num_envs} environments, {part}; {options.than} does so many times as many", "",
             "| tier | side | steps/s | | steps / processor second | |", "|---|---|---|---|---|---|"]
    reference = select(rows, num_envs=num_envs, part=part, side=options.than)
    for name in options.sides:
        if mine := select(rows, num_envs=num_envs, part=part, side=name):
            wall, cpu = columns(mine, reference, "seconds"), columns(mine, reference, "cpu_seconds")
            lines.append(f"| {SIDES[name][0]} | {name} | {wall[0]} | {wall[1]} | {cpu[0]} | {cpu[1]} |")
    return lines


def compile_lines(rows):
    """How long each side compiles, which is in none of the figures."""
    for name in dict.fromkeys(row["side"] for row in rows):
        seconds = [row["compile_seconds"] for row in select(rows, side=name) if row["part"] == "train" and row["compile_seconds"] > 0.5]
        if seconds:
            yield f"{name}: compiled for {spread(seconds, '.1f')} s before its whole iterations"


def cpu_name():
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())


def replace(path, text):
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text)
    partial.replace(path)


def parse():
    parser = Parser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    one_of = lambda known: lambda text: [word if word in known else parser.error(f'"{word}" is none of {", ".join(known)}')
                                         for word in text.split(",")]
    parser.add_argument("--sides", type=one_of(SIDES), default=list(SIDES), help=", ".join(SIDES))
    parser.add_argument("--sizes", default="8,16,64,128,1024,4096", help="numbers of environments")
    parser.add_argument("--parts", type=one_of(PARTS), default=list(PARTS), help=", ".join(PARTS))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--updates", type=int, default=0, help="iterations of a measurement; default: as many as fill --seconds")
    parser.add_argument("--seconds", type=float, default=2.0, help="that a measurement should take")
    parser.add_argument("--most-seconds", type=float, default=20.0, help="what takes longer is measured in the first round alone")
    parser.add_argument("--trunk", choices=("shared", "separate"), default="shared")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--than", choices=SIDES, default="fused", help="the side that the others are held against")
    parser.add_argument("--others-python", help=f"for {', '.join(OTHERS)}, which are left out without it")
    parser.add_argument("--quick", action="store_true", help="16 environments, one short round")
    parser.add_argument("--out", default=f"runs/loop-tiers-{time.strftime('%Y%m%d-%H%M%S')}")
    options = parser.parse_args()
    if options.quick:
        options.sizes, options.rounds, options.seconds = "16", 1, 0.2
    try:
        options.sizes = [int(size) for size in options.sizes.split(",")]
    except ValueError:
        parser.error(f'--sizes: "{options.sizes}" is no list of numbers')
    if min(*options.sizes, options.rounds, options.threads, 1) < 1 or options.updates < 0 or options.seconds <= 0:
        parser.error("--sizes, --rounds and --threads are at least 1, --updates at least 0, --seconds above 0")
    missing = [name for name in options.sides if name in OTHERS and not options.others_python]
    if missing:
        options.sides = [name for name in options.sides if name not in missing]
        print(f"left out without --others-python: {', '.join(missing)}")
    if not options.sides:
        parser.error("--sides: none is left")
    return options


def main():
    options = parse()
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    record = {"machine": cpu_name(), "cores": len(os.sched_getaffinity(0)), "options": vars(options), "rows": []}
    for num_envs in options.sizes:
        record["rows"] += measure_size(num_envs, options)
        replace(out / "loop_tiers.json", json.dumps(record, indent=1) + "\n")
    replace(out / "loop_tiers.svg", loop_plot.svg(record["rows"]))
    for num_envs in options.sizes:
        for part in options.parts:
            print("\n".join(table(record["rows"], options, num_envs, part)))
    print()
    for line in compile_lines(record["rows"]):
        print(line)
    loads = [row["load"] for row in record["rows"]]
    print(f"the machine's load meanwhile, this run's own included: {spread(loads, '.1f')}")
    print(f"figures in {out}/loop_tiers.json, plots in {out}/loop_tiers.svg")


if __name__ == "__main__":
    main()

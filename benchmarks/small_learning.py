#!/usr/bin/env python3
"""Do the shipped configs of small environments learn? Trains each on several seeds, then plays the best weights on fresh episodes.

    python benchmarks/small_learning.py [--seeds 5] [--tasks cartpole,pendulum] [--jobs 2] [--episodes 500] [--out FOLDER]

A run goes on to its config's last iteration. Its best.pt, chosen by the evaluations during training, then plays greedily: one episode
in each of --episodes environments of a seed that neither training nor evaluation uses, the network computed by PyTorch. Prints a row a
task: mean and 95 % interval (Student's t) over the seeds; writes small_learning.json and small_learning.svg. Exit code 1 where a
task's mean misses its target.

The measure is the mean return; the share of episodes that terminate, which for push_cube and nav is success; for upright_duck the
share of episodes in which the body never leans more than 60 degrees (upright_duck.py says why not microduck as it is).
Needs torch; upright_duck also gymnasium, rl2xla (--no-deps) and cmake.
"""
import argparse
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import torch

from greedy_episodes import load_operators, play
from learning_runs import COLOURS, ROOT, Panel, mean_and_half_width, start, svg, write

FRESH_SEED = 3_000_000_000  # training draws from its small seeds, evaluation from evaluation.seed_start
LEAN = 0.5                  # cosine of 60 degrees


def mean_return(played):
    return played["return"].mean().item()


def success(played):
    return played["terminated"].mean().item()


def upright(played):
    return (played["worst_gravity_z"] < -LEAN).float().mean().item()


@dataclass
class LearningTask:
    """Named as its config and its environment."""
    measure: callable
    target: float
    returns: tuple  # ticks of the chart: returns of training's evaluations


TASKS = {
    "cartpole": LearningTask(mean_return, 500, (0, 100, 200, 300, 400, 500)),
    "acrobot": LearningTask(mean_return, -80, (-500, -400, -300, -200, -100, 0)),
    "mountain_car": LearningTask(mean_return, -115, (-200, -175, -150, -125, -100)),
    "mountain_car_continuous": LearningTask(mean_return, 92, (-20, 0, 20, 40, 60, 80, 100)),
    "pendulum": LearningTask(mean_return, -170, (-1500, -1200, -900, -600, -300, 0)),
    "push_cube": LearningTask(success, 1.0, (-1, -0.5, 0, 0.5, 1, 1.5, 2)),
    "nav": LearningTask(success, 0.99, (-200, -150, -100, -50, 0)),
    "upright_duck": LearningTask(upright, 0.99, (0, 200, 400, 600, 800)),
}


def built(folder):
    """The library of upright_duck, converted from Python."""
    source = Path(__file__).parent / "upright_duck.py"
    for command in ([sys.executable, ROOT / "scripts/gym_to_kernel.py", f"{source}:UprightDuck", "--out", folder],
                    ["cmake", "-S", folder, "-B", folder / "build", "-DORBIT_CUDA=OFF"], ["cmake", "--build", folder / "build"]):
        subprocess.run([str(word) for word in command], check=True, stdout=subprocess.DEVNULL)
    return folder / "build" / "upright_duck.so"


def train(name, folder, seed, library=None, settings=()):
    """The run's folder, and the processor seconds it took."""
    settings = [*settings, f"environment.library={library}"] if library else settings
    process = start(ROOT / "configs" / f"{name}.yaml", folder / name, seed, settings, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        raise RuntimeError(f"{name}, seed {seed}: training ended with exit code {os.waitstatus_to_exitcode(status)}")
    return folder / name / f"seed-{seed}", usage.ru_utime + usage.ru_stime


def curve(run):
    """[(million steps, return of the evaluation)], and seconds of training by the clock, and its steps."""
    rows = [json.loads(line) for line in (run / "metrics.json").read_text().splitlines()]
    points = [(row["samples"] / 1e6, row["evaluation_return"]) for row in rows if "evaluation_return" in row]
    return points, sum(row["time_iteration"] for row in rows), rows[-1]["samples"]


def measured(name, run, processor_seconds, episodes):
    played = play(name, run / "best.pt", episodes, FRESH_SEED)
    points, seconds, steps = curve(run)
    return {"seed": int(run.name.removeprefix("seed-")), "value": TASKS[name].measure(played), "mean_return": mean_return(played),
            "terminated": success(played), "mean_length": played["length"].mean().item(), "steps": steps, "seconds": seconds,
            "processor_seconds": processor_seconds, "curve": points}


def summary(name, runs):
    task, values = TASKS[name], [run["value"] for run in runs]
    mean, half_width = mean_and_half_width(values)
    return {"task": name, "measure": task.measure.__name__, "target": task.target, "mean": mean, "half_width": half_width,
            "reached": mean >= task.target, "seeds_reached": sum(value >= task.target for value in values), "runs": runs}


def row(s):
    number = "{:.1%}".format if s["measure"] != "mean_return" else "{:.1f}".format
    mean = lambda key: sum(run[key] for run in s["runs"]) / len(s["runs"])
    spread = f"{number(min(r['value'] for r in s['runs']))} to {number(max(r['value'] for r in s['runs']))}"
    mean_text = f"{number(s['mean'])} +- {number(s['half_width'])}"
    return (f"| {s['task']} | {s['measure'].replace('_', ' ')} | {number(s['target'])} | {mean_text} | {spread} | "
            f"{s['seeds_reached']} of {len(s['runs'])} | {mean('steps') / 1e6:.2f} M | {mean('processor_seconds'):.0f} s |")


def drawn(summaries):
    """A panel a task: thin, the evaluations of each seed during training; thick, their mean; the band, least to most."""
    columns, panels = 2, []
    for k, s in enumerate(summaries):
        curves = [run["curve"] for run in s["runs"]]
        steps = [x for x, _ in curves[0]]
        ticks, text = TASKS[s["task"]].returns, "{:g}".format
        panel = Panel(60 + 400 * (k % columns), 30 + 220 * (k // columns), 310, 140, steps[-1], ticks, s["task"], "million steps", text)
        by_time = list(zip(*[[y for _, y in points] for points in curves], strict=True))
        panel.band(list(zip(steps, map(min, by_time))), list(zip(steps, map(max, by_time))), COLOURS[0])
        for run, points in zip(s["runs"], curves, strict=True):
            panel.line(points, COLOURS[0], f"seed {run['seed']}", width=0.6)
        panel.line([(x, sum(ys) / len(ys)) for x, ys in zip(steps, by_time)], COLOURS[1], "mean of the seeds")
        if s["measure"] == "mean_return":
            panel.line([(0, s["target"]), (steps[-1], s["target"])], COLOURS[2], "target", dash="5 4")
        panels.append(panel)
    return svg(60 + 400 * columns, 20 + 220 * -(-len(panels) // columns), panels)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=5, help="runs of each task, of seeds 1, 2, ...")
    parser.add_argument("--tasks", default=",".join(TASKS), help="some of the default, which is all: %(default)s")
    parser.add_argument("--jobs", type=int, default=1, help="runs at a time")
    parser.add_argument("--episodes", type=int, default=500)
    parser.add_argument("--out", type=Path, default=Path(f"runs/small-learning-{time.strftime('%Y%m%d-%H%M%S')}"))
    arguments = parser.parse_args()
    names = arguments.tasks.split(",")
    if unknown := [name for name in names if name not in TASKS]:
        parser.error(f"--tasks: no task {unknown[0]}; there are {', '.join(TASKS)}")
    for option in ("seeds", "jobs", "episodes"):
        if getattr(arguments, option) < 1:
            parser.error(f"--{option}: at least 1")

    arguments.out.mkdir(parents=True, exist_ok=True)
    library = built(arguments.out / "upright_duck-library") if "upright_duck" in names else None
    torch.set_num_threads(1)
    load_operators(library)
    print(f"| task | measure | target | mean and 95 % interval | least to most | seeds at target | steps | processor time |\n{'|---' * 8}|",
          flush=True)
    summaries = []
    for name in names:
        with ThreadPoolExecutor(arguments.jobs) as pool:
            one = lambda seed: train(name, arguments.out, seed, library if name == "upright_duck" else None)
            trained = list(pool.map(one, range(1, arguments.seeds + 1)))
        summaries.append(summary(name, [measured(name, run, seconds, arguments.episodes) for run, seconds in trained]))
        print(row(summaries[-1]), flush=True)
        write(arguments.out / "small_learning.json", json.dumps(summaries, indent=1) + "\n")
        write(arguments.out / "small_learning.svg", drawn(summaries))
    print(f"figures in {arguments.out}/small_learning.json, curves in {arguments.out}/small_learning.svg")
    return 0 if all(s["reached"] for s in summaries) else 1


if __name__ == "__main__":
    sys.exit(main())

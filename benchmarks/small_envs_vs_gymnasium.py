#!/usr/bin/env python3
"""Steps a second of small environments on one core: ours against gymnasium's, random actions, resets included, in alternation.

    python benchmarks/small_envs_vs_gymnasium.py [--rounds 5] [--num-envs 4096]

Ours: the step operator called from Python, in float and in double. Gymnasium: one environment in a Python loop, and for CartPole
its NumPy vector environment of as many environments. Times are the process's own, so that other work on the machine counts less;
a row gives the median and the least and largest ratio of the rounds.
"""
import argparse
import os
import statistics
import time
from pathlib import Path

import gymnasium
import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[1]
PAIRS = {"cartpole": "CartPole-v1", "acrobot": "Acrobot-v1", "mountain_car": "MountainCar-v0",
         "mountain_car_continuous": "MountainCarContinuous-v0", "pendulum": "Pendulum-v1"}


def rate(steps, call):
    """Steps a second of processor time."""
    begin = time.process_time()
    call()
    return steps / (time.process_time() - begin)


class Ours:
    def __init__(self, name, count, in_double, actions):
        self.name, self.count, self.actions = name, count, actions
        self.batch = torch.ops.orbit.make_env_batch(name, count, in_double)
        torch.ops.orbit.env_reset_(name, self.batch, 1)

    def __call__(self):
        for action in self.actions:
            torch.ops.orbit.env_step_(self.name, self.batch, action, 1)


class PythonLoop:
    def __init__(self, name, actions):
        self.env, self.actions = gymnasium.make(name), actions
        self.env.reset(seed=1)

    def __call__(self):
        for action in self.actions:
            _, _, terminated, truncated, _ = self.env.step(action)
            if terminated or truncated:
                self.env.reset()


class NumpyVector:
    def __init__(self, name, count, actions):
        self.env, self.actions = gymnasium.make_vec(name, num_envs=count, vectorization_mode="vector_entry_point"), actions
        self.env.reset(seed=1)

    def __call__(self):
        for action in self.actions:
            self.env.step(action)


def actions_of(space, sets, count):
    if isinstance(space, gymnasium.spaces.Discrete):
        return np.random.default_rng(1).integers(space.n, size=(sets, count))
    return np.random.default_rng(1).uniform(space.low[0], space.high[0], size=(sets, count)).astype(np.float32)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--num-envs", type=int, default=4096)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    build = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build"))
    torch.ops.load_library(str(build / "lib" / "liborbit_ops.so"))
    n, sets, loop_steps = arguments.num_envs, 200, 3000
    for name, official in PAIRS.items():
        space = gymnasium.make(official).action_space
        actions = actions_of(space, sets, n)
        tensors = [torch.from_numpy(a).reshape(n, 1) for a in actions]
        single = [a if space.shape == () else np.array([a]) for a in actions.flatten()[:loop_steps]]
        sides = {"float": (n * sets, Ours(name, n, False, tensors)), "double": (n * sets, Ours(name, n, True, tensors)),
                 "Python loop": (loop_steps, PythonLoop(official, single))}
        if name == "cartpole":
            sides["NumPy vector"] = (n * 40, NumpyVector(official, n, actions[:40]))
        rates = {side: [] for side in sides}
        for _ in range(arguments.rounds + 1):
            for side, (steps, call) in sides.items():
                rates[side].append(rate(steps, call))
        for side in rates:
            rates[side] = rates[side][1:]  # the first round warms up
        print(name + ": " + ", ".join(f"{side} {statistics.median(r) / 1e6:.4g} M/s" for side, r in rates.items()))
        for side in list(rates)[2:]:
            ratios = [a / b for a, b in zip(rates["float"], rates[side], strict=True)]
            print(f"    float / {side}: {statistics.median(ratios):.0f} ({min(ratios):.0f} to {max(ratios):.0f})")


if __name__ == "__main__":
    main()

"""Converts an environment, builds its library, and plays it beside the Python one with the same random numbers."""

import os
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from orbit_ops import ROOT, ops
from small_envs import Batch

sys.path.insert(0, str(ROOT / "scripts"))
from gym_to_kernel import command_line, emit  # noqa: E402
from gym_to_kernel.environment import flat_observation  # noqa: E402

# -O1, since the tests compile many environments; the flags that decide results are those of cmake/OrbitRules.cmake.
COMPILE = [
    "g++",
    "-O1",
    "-std=c++20",
    "-shared",
    "-fPIC",
    "-march=x86-64-v3",
    "-ffp-contract=off",
    "-fno-builtin-pow",
    "-fno-math-errno",
    "-fno-trapping-math",
    f"-I{ROOT}",
]


class Recorder:
    """Stands in for np_random: gives random numbers, and keeps what a kernel is to be given in their place."""

    def __init__(self, seed):
        self.generator, self.drawn = np.random.default_rng(seed), []

    def take(self):
        drawn, self.drawn = self.drawn, []
        return drawn

    def keep(self, values):
        self.drawn += np.asarray(values, np.float64).ravel().tolist()
        return values

    def random(self, size=None):
        return self.keep(self.generator.random(size))

    def uniform(self, low=0.0, high=1.0, size=None):
        shape = size if size is not None else np.broadcast_shapes(np.shape(low), np.shape(high))
        if shape == ():
            return float(low) + (float(high) - float(low)) * self.random()
        low, high = np.asarray(low, np.float64), np.asarray(high, np.float64)
        return low + (high - low) * self.random(shape)

    def standard_normal(self, size=None):
        return self.keep(self.generator.standard_normal(size))

    def normal(self, loc=0.0, scale=1.0, size=None):
        shape = size if size is not None else np.broadcast_shapes(np.shape(loc), np.shape(scale))
        return loc + scale * self.standard_normal(shape if shape != () else None)

    def integers(self, low, high=None, size=None, dtype=np.int64, endpoint=False):
        return self.keep(self.generator.integers(low, high, size, dtype, endpoint))

    def choice(self, a, size=None, replace=True, p=None):
        items = np.arange(a) if np.ndim(a) == 0 else np.asarray(a)
        if not replace:
            return self.permutation(items)[:size]
        if p is None:
            return items[self.integers(0, len(items), size)]
        sums = np.cumsum(p)
        return items[np.searchsorted(sums / sums[-1], self.random(size), side="right")]

    def shuffle(self, x):
        for i in range(len(x) - 1, 0, -1):
            j = self.integers(0, i + 1)
            x[i], x[j] = x[j], x[i]

    def permutation(self, x):
        x = np.arange(x) if np.ndim(x) == 0 else np.array(x)
        self.shuffle(x)
        return x


@dataclass
class Step:
    before: list
    elapsed: int
    action: np.ndarray
    drawn: list
    after: list
    observation: list
    reward: float
    terminated: bool
    truncated: bool


@dataclass
class Reset:
    drawn: list
    state: list
    observation: list


@dataclass
class Converted:
    target: str
    kernel: object
    env: object
    folder: Path
    process: object = None
    resets: list = field(default_factory=list)
    steps: list = field(default_factory=list)

    @property
    def name(self):
        return self.kernel.name

    @property
    def library(self):
        return self.folder / f"{self.name}.so"

    def start_build(self):
        with open(self.folder / "errors.txt", "w") as errors:
            self.process = subprocess.Popen([*COMPILE, str(self.folder / f"{self.name}.cpp"), "-o", str(self.library)], stderr=errors)

    def load(self):
        assert self.process.wait() == 0, (self.folder / "errors.txt").read_text()
        if self.name not in ops.env_names():
            assert ops.load_env_library(str(self.library)) == self.name

    def play(self, random, count):
        """count steps of the Python environment, with its resets and all random numbers."""
        env, layout = self.env, self.kernel.layout
        recorder = Recorder(random.randrange(2**31))
        env._np_random = recorder
        env.action_space.seed(random.randrange(2**31))
        space = env.observation_space
        self.resets, self.steps = [], []

        def reset():
            observation, _ = env.reset()
            self.resets.append(Reset(recorder.take(), self.state(), flat_observation(space, observation)))

        reset()
        elapsed = 0
        for _ in range(count):
            if elapsed == 0 or random.random() < 0.5:  # some actions last, or random play would stay near the start
                action = env.action_space.sample()
                if action_is_double(action):  # a kernel is given float32
                    action = action.astype(np.float32).astype(np.float64)
            before = self.state()
            observation, reward, terminated, truncated, _ = env.step(np.copy(action) if isinstance(action, np.ndarray) else action)
            elapsed += 1
            truncated = bool(truncated) or 0 < self.kernel.time_limit <= elapsed
            self.steps.append(
                Step(
                    before,
                    elapsed - 1,
                    np.asarray(action) - self.kernel.spaces.start,
                    recorder.take(),
                    self.state(),
                    flat_observation(space, observation),
                    float(reward),
                    bool(terminated),
                    truncated and not terminated,
                )
            )
            if terminated or truncated or elapsed >= 1000:
                reset()
                elapsed = 0

    def state(self):
        layout = self.kernel.layout
        fields, kept = layout.fields, self.kernel.stored_observation
        if kept:  # no attribute of the Python environment
            layout.fields = [f for f in fields if f.name != "observation"]
        values = [float(v) for v in layout.read(self.env)]
        layout.fields = fields
        return values

    def state_rows(self):
        """Rows of Batch.state() that the Python environment has too."""
        widths = [(f.name, f.ctype == "Real", f.size or 1) for f in self.kernel.layout.fields]
        ordered = [w for w in widths if w[1]] + [w for w in widths if not w[1]]
        rows, row = [], 0
        for name, _, size in ordered:
            if name != "observation":
                rows += range(row, row + size)
            row += size
        return rows

    def batch(self, count, in_double=True):
        return Batch(self.name, count, in_double)


def convert(target, folder, constructor=None, **options):
    kernel, env = command_line.convert(target, constructor=constructor, **options)
    emit.write(folder, emit.files(kernel, target, command_line.VERSION))
    return Converted(target, kernel, env, Path(folder))


def action_is_double(action):
    return isinstance(action, np.ndarray) and action.dtype == np.float64


def padded(rows, width=1):
    """(N, longest) of lists of random numbers; at least `width` numbers wide."""
    width = max([width, *map(len, rows)])
    return np.array([[*r, *[0.0] * (width - len(r))] for r in rows], np.float64)


__all__ = ["Converted", "Recorder", "convert", "padded", "os"]

"""What all sides of loop_tiers.py have in common: the setting that is learned in, and how a side is asked for measurements.

A side is a script of this folder. Alone it measures each of its parts once and prints a line of JSON for each; with --wait it does so
whenever a line on standard input names a part. Parts: "env", environments with random actions; "rollout", with network and sampling
added; "train", whole iterations. A step is one of one environment.
"""
import argparse
import json
import os
import sys
import time
from dataclasses import dataclass

HORIZON, EPOCHS, MINIBATCHES = 128, 4, 8  # minibatches an epoch
HIDDEN = 64  # two layers, tanh
LR, GAMMA, GAE_LAMBDA, CLIP_EPS, VALUE_COEF, ENTROPY_COEF, MAX_GRAD_NORM = 3e-4, 0.99, 0.95, 0.2, 0.5, 0.01, 0.5
PARTS = ("env", "rollout", "train")


@dataclass
class Setting:
    num_envs: int
    minibatch_size: int
    shared: bool  # one trunk for actor and critic; else two networks
    threads: int
    seconds: float  # that a measurement should take
    updates: int  # iterations a measurement; 0: as many as fill the seconds

    @property
    def steps(self):
        return self.num_envs * HORIZON


def parse_setting(description, add_options=lambda parser: None):
    """The setting of the command line, and all of its options. Limits this process to as many cores as it may have threads."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--num-envs", type=int, default=16)
    parser.add_argument("--minibatch-size", type=int, help=f"default: {MINIBATCHES} minibatches an epoch")
    parser.add_argument("--trunk", choices=("shared", "separate"), default="shared")
    parser.add_argument("--threads", type=int, default=len(os.sched_getaffinity(0)))
    parser.add_argument("--seconds", type=float, default=2.0, help="that a measurement should take")
    parser.add_argument("--updates", type=int, default=0, help="iterations of a measurement, in place of --seconds")
    parser.add_argument("--wait", action="store_true", help="measure the parts that lines on standard input name")
    add_options(parser)
    options = parser.parse_args()
    size = options.minibatch_size or max(1, options.num_envs * HORIZON // MINIBATCHES)
    os.sched_setaffinity(0, set(sorted(os.sched_getaffinity(0))[: options.threads]))  # JAX takes its number of threads from this
    return Setting(options.num_envs, size, options.trunk == "shared", options.threads, options.seconds, options.updates), options


class Repeated:
    """A part whose work is a call that does so many iterations. Its first call, which may compile, is not counted as work."""

    def __init__(self, setting, work):
        self.setting, self.work = setting, work

    def prepare(self):
        """Seconds that the first call took longer than the second."""
        first, second = self.timed(1), self.timed(1)
        self.decide_count(second["seconds"])
        return max(0.0, first["seconds"] - second["seconds"])

    def decide_count(self, seconds):
        self.count = self.setting.updates or max(1, round(self.setting.seconds / seconds))

    def timed(self, count):
        cpu, begin = time.process_time(), time.perf_counter()
        self.work(count)
        seconds = time.perf_counter() - begin
        return {"steps": count * self.setting.steps, "seconds": seconds, "cpu_seconds": time.process_time() - cpu}

    def measure(self):
        return self.timed(self.count)


class RepeatedByTorch(Repeated):
    """With all threads or with one, whatever is quicker: PyTorch's threads wait for each other in a loop, so that the second one of a
    small network, or on a machine with other work, can cost more than it brings."""

    def __init__(self, setting, work, set_num_threads):
        super().__init__(setting, work)
        self.set_num_threads = set_num_threads

    def timed(self, count):
        self.set_num_threads(self.threads)
        return super().timed(count) | {"threads": self.threads}

    def prepare(self):
        tried = []
        for self.threads in {1, self.setting.threads}:
            tried.append(self.timed(1))
            if tried[-1]["seconds"] < self.setting.seconds:
                tried[-1] = self.timed(1)  # now that it is warm
        best = min(tried, key=lambda t: t["seconds"])
        self.threads = best["threads"]
        self.decide_count(best["seconds"])
        self.first = best if self.count == 1 and best["seconds"] >= self.setting.seconds else None
        return 0.0

    def measure(self):
        """The first of work that takes so long is the trial."""
        first, self.first = self.first, None
        return first or super().measure()


def serve(name, options, parts, facts=dict):
    """parts: what prepares and measures each; facts: more to say of this side after a measurement."""
    prepared = {}

    def prepare(part):
        if part not in prepared:
            prepared[part] = parts[part].prepare()

    def answer(part):
        prepare(part)
        row = {"side": name, "part": part} | parts[part].measure()
        return row | {"steps_per_second": row["steps"] / row["seconds"], "compile_seconds": prepared[part]} | facts()

    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what libraries print must not stand between the lines of JSON
    print(json.dumps({"side": name, "parts": list(parts)}), file=out, flush=True)
    for part in map(str.strip, sys.stdin) if options.wait else parts:
        print(json.dumps(answer(part)), file=out, flush=True)

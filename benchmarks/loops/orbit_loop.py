#!/usr/bin/env python3
"""PPO on CartPole by orbit_train: tiers 4 and 5 of loop_tiers.py.

    python benchmarks/loops/orbit_loop.py [--loop fused|eager|eager-bf16] [--num-envs 16] [--threads 2] [--updates 300]

fused: a rollout and a minibatch's gradient are one operator each (device.fused); eager: an operator a step, and autograd; eager-bf16:
the same with matrix products in bfloat16. Whole iterations are timed from the first line of progress to the last: start-up is left
out (nothing is compiled), what the trainer writes is not, but goes into memory, as no other side writes. Rollouts are those of
orbit_bench rollout, environments alone those of orbit_bench env.
"""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import side

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build")) / "bin"
LOOPS = {"fused": [], "eager": ["device.fused=false"], "eager-bf16": ["device.precision=bf16"]}
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid):
    """User and system time of a process, all threads."""
    return sum(map(int, Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[11:13])) / TICKS


def finish(process, errors):
    if process.wait():
        errors.seek(0)
        sys.exit(f"{Path(process.args[0]).name}: {errors.read().strip()}")


def bench(*arguments):
    """The last row of JSON."""
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen([BIN / "orbit_bench", *map(str, arguments), "--json", "-"], stdout=subprocess.PIPE, stderr=errors)
        lines = process.stdout.read().splitlines()
        finish(process, errors)
    return json.loads(lines[-1])


def settings_of(setting, loop, threads):
    """Arguments of orbit_train and orbit_bench."""
    settings = [f"training.episodes_per_iter={setting.num_envs}", f"training.minibatch_size={setting.minibatch_size}",
                f"model.mlp.trunk={'shared' if setting.shared else 'separate'}", f"device.threads={threads}",
                f"training.horizon={side.HORIZON}", f"training.ppo_epochs={side.EPOCHS}", f"training.lr={side.LR}", "training.lr_end=null",
                "training.lr_schedule_steps=null", "evaluation.every=0", "training.observation_norm=false", "training.reward_norm=false",
                *LOOPS[loop]]
    return ["--config", ROOT / "configs/cartpole.yaml", *[word for s in settings for word in ("--set", s)]]


def train(setting, loop, threads, count):
    """orbit_train for so many iterations, after a first one that does not count."""
    with tempfile.TemporaryDirectory(dir=MEMORY) as folder, tempfile.TemporaryFile("w+") as errors:
        own = [f"training.iterations={count + 1}", f"output.save_every={count + 1}", f"output.run_dir={folder}", "output.run_name=run"]
        command = [BIN / "orbit_train", *settings_of(setting, loop, threads), *[word for s in own for word in ("--set", s)]]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors)
        begin = end = cpu = None
        for line in process.stdout:
            if re.match(rb"iteration \d+/", line):
                end = time.perf_counter()
                if begin is None:
                    begin, cpu = end, cpu_seconds(process.pid)
                elif line.startswith(b"iteration %d/" % (count + 1)):
                    cpu = cpu_seconds(process.pid) - cpu
        finish(process, errors)
        last = json.loads((Path(folder) / "run/metrics.json").read_text().splitlines()[-1])
    return {"steps": count * setting.steps, "seconds": end - begin, "cpu_seconds": cpu, "threads": threads,
            "episode_return": last.get("episode_return")}


def play(setting, loop, threads, count):
    """Rollouts alone, the median of so many."""
    row = bench("rollout", *settings_of(setting, loop, threads), "--rounds", count)
    return {"steps": setting.steps, "seconds": setting.steps * row["ns_per_step"] * 1e-9,
            "cpu_seconds": setting.steps * row["cpu_ns_per_step"] * 1e-9, "threads": threads}


class Repeated:
    """Through autograd with all threads or with one, whatever is quicker, as all sides that PyTorch computes; fused with all."""

    def __init__(self, setting, loop, measure):
        self.setting, self.loop, self.work = setting, loop, measure

    def prepare(self):
        choices = {self.setting.threads} if self.loop == "fused" else {1, self.setting.threads}
        tried = [self.work(self.setting, self.loop, threads, 2) for threads in choices]
        best = min(tried, key=lambda row: row["seconds"])
        self.threads = best["threads"]
        per_iteration = best["seconds"] * self.setting.steps / best["steps"]
        self.count = self.setting.updates or max(1, round(self.setting.seconds / per_iteration))
        return 0.0

    def measure(self):
        return self.work(self.setting, self.loop, self.threads, self.count)


class Environments:
    def __init__(self, setting):
        self.setting = setting

    def prepare(self):
        return 0.0

    def measure(self):
        s = self.setting
        threads = s.threads if s.num_envs >= 512 * s.threads else 1
        row = bench("env", "--environment", "cartpole", "--num-envs", s.num_envs, "--threads", threads, "--seconds", s.seconds / 3)
        return {"steps": 10**6, "seconds": row["ns_per_step"] * 1e-3, "cpu_seconds": row["cpu_ns_per_step"] * 1e-3, "threads": threads}


def main():
    setting, options = side.parse_setting(__doc__, lambda p: p.add_argument("--loop", choices=LOOPS, default="fused"))
    parts = {"rollout": Repeated(setting, options.loop, play), "train": Repeated(setting, options.loop, train)}
    if options.loop == "fused":
        parts = {"env": Environments(setting)} | parts
    side.serve(options.loop, options, parts)


if __name__ == "__main__":
    main()

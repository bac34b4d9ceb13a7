"""Tiny runs of orbit_train: their config, how they are started, and what of them must be equal."""
import json
import os
import random
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build")) / "bin" / "orbit_train"

TINY = """
model: {hidden: 16, attn_heads: 2, inducing_points: 4, encoder_layers: 1, no_op_bias: 0.0}
training:
  seed: 3
  iterations: 3
  episodes_per_iter: 4
  horizon: 40
  lr: 1.0e-3
  minibatch_size: 32
  ppo_epochs: 2
  opponent: OPPONENT
  opponent_pool: {snapshot_every: 2, cap: 2, priority: f_hard, late_full_prob: 0.3}
  decoder: strict
  shaping_mode: planets
  shaping_coef: 0.05
environment: {board_bank_size: 8, board_bank_start: 3, board_bank_growth: 2}
evaluation: {every: 2, games: 4, opponents: [random]}
device: {threads: 1}
output: {run_dir: RUN_DIR, run_name: NAME}
"""


def write_config(tmp_path, name, opponent="self", extra="", template=TINY):
    """(the config, its run folder)."""
    path = tmp_path / f"{name}.yaml"
    text = template.replace("RUN_DIR", str(tmp_path / "runs")).replace("NAME", name).replace("OPPONENT", opponent)
    path.write_text(text + extra)
    return path, tmp_path / "runs" / name


def train(*arguments, check=True, **options):
    done = subprocess.run([str(BIN), *map(str, arguments)], capture_output=True, text=True, timeout=300, **options)
    if check:
        assert done.returncode == 0, done.stderr + done.stdout
    return done


def rows(folder):
    """Metrics without what depends on the clock."""
    lines = (folder / "metrics.json").read_text().splitlines()
    keep = lambda k: not k.startswith("time_") and not k.endswith("_per_second")
    return [{k: v for k, v in json.loads(line).items() if keep(k)} for line in lines]


def fresh_draws():
    """Random moments and settings of a test, new on every run; ORBIT_TEST_SEED repeats one."""
    seed = int(os.environ.get("ORBIT_TEST_SEED") or random.SystemRandom().randrange(2**32))
    print(f"repeat with ORBIT_TEST_SEED={seed}")
    return random.Random(seed)

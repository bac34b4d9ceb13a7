"""orbit_train and the scripts as a user meets them: every mistake is exit code 2 and one line on standard error."""
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TRAIN = Path(os.environ.get("ORBIT_BIN_DIR", ROOT / "build/bin")) / "orbit_train"
MINIMAL = "training:\n  iterations: 1\n  episodes_per_iter: 2\n"
ORIGINAL = """
model:
  {hidden: 192, attn_heads: 8, inducing_points: 24, encoder_layers: 4, head_dropout: 0.0, ship_log_std_init: 0.5, no_op_bias: 8.0}
bc_warmstart: {enabled: false, weights_path: ""}
training:
  algo: ppo
  seed: 7
  iterations: 50
  episodes_per_iter: 128
  horizon: 500
  lr: 3.0e-5
  lr_end: 3.0e-6
  lr_schedule_steps: 50000
  weight_decay: 1.0e-5
  gamma: 0.995
  gae_lambda: 0.95
  clip_eps: 0.2
  value_coef: 0.5
  entropy_coef: 0.02
  kl_beta: 0.0
  ppo_epochs: 4
  minibatch_size: 256
  max_grad_norm: 0.5
  target_kl: 0.02
  shaping_mode: planets
  shaping_coef: 0.5
  coef_ship: 0
  coef_planet: 0
  dense_coef_ship: 0.003
  dense_coef_planet: 0.003
  shaping_clip: 0
  time_bonus_coef: 0
  time_penalty_coef: 0
  opponent: curriculum
  opponent_curriculum: {switch_iter: 20, early: noop, late: starter}
  opponent_pool: {snapshot_every: 4, cap: 6, priority: f_hard, priority_p: 2.0, priority_ema: 0.9, late_full_prob: 0.5,
                  include_lite: true}
  heldout_eval: {every: 1, opponent: baseline_jax_lite, episodes: 32, seed: 1, ref_elo: 1000, agent_elo_init: 800, elo_k: 16}
  resume_from: null
output: {run_dir: runs, weights_filename: best.pt, metrics_filename: metrics.json, run_meta_filename: run.json}
"""


def run(*arguments, cwd=None):
    return subprocess.run([TRAIN, *arguments], capture_output=True, text=True, errors="surrogateescape", cwd=cwd, timeout=120)


def assert_refused(done, *parts):
    assert done.returncode == 2, (done.returncode, done.stdout[-500:], done.stderr)
    assert done.stderr.count("\n") == 1 and done.stderr.endswith("\n"), done.stderr
    for part in parts:
        assert part in done.stderr, done.stderr


@pytest.mark.parametrize(
    "text, parts",
    [
        (MINIMAL + "  clip_ep: 0.1\n", ['ppo.yaml:4: unknown key "clip_ep" in training. Did you mean "clip_eps"?']),
        (MINIMAL + "  lr: fast\n", ["ppo.yaml:4: training.lr: expected a number", '"fast"']),
        (MINIMAL + "  gamma: 1.5\n", ["ppo.yaml:4: training.gamma: expected a number from 0 to 1", '"1.5"']),
        (MINIMAL + "  gamma: [1]\n", ["ppo.yaml:4: training.gamma", "a list"]),
        (MINIMAL + "  gamma: 0.9\n  gamma: 0.8\n", ["ppo.yaml:5", '"gamma" stands twice']),
        (MINIMAL + "  bad: [1, 2\n", ["ppo.yaml:", "not valid YAML"]),
        (MINIMAL + "\tlr: 1\n", ["ppo.yaml:4", "not valid YAML"]),
        ("training: {iterations: 1}\n", ["training.episodes_per_iter is required"]),
        ("", ["training.iterations is required"]),
        ("just text\n", ["ppo.yaml:1"]),
        (MINIMAL + "  opponent: baseline_v1\n", ["ppo.yaml:4", "self, noop, random, starter"]),
        (MINIMAL + "  opponent: python_v1\n", ["ppo.yaml:4", "self, noop, random, starter"]),
        (MINIMAL + "  opponent: pool\n  opponent_pool: {include_lite: true}\n", ["ppo.yaml:5", "include_lite", "baseline_jax_lite"]),
        (MINIMAL + "  opponent: baseline_jax_lite\n", ["ppo.yaml:4", "baseline_jax_lite"]),
        (MINIMAL + "model:\n  hidden: 100\n", ["ppo.yaml:5", "model.attn_heads"]),
        (MINIMAL + "environment:\n  players: 3\n", ["ppo.yaml:5", "2 or 4"]),
        (MINIMAL + "device:\n  type: cuda\n", ["cuda"]),
        (MINIMAL + "output:\n  run_dir: /dev/null/runs\n", ["/dev/null/runs"]),
        (MINIMAL + 'bc_warmstart: {enabled: true, weights_path: "none.pt"}\n', ["none.pt"]),
    ],
)
def test_a_bad_config_is_one_line(tmp_path, text, parts):
    (tmp_path / "ppo.yaml").write_text(text)
    assert_refused(run("--config", "ppo.yaml", cwd=tmp_path), *parts)


@pytest.mark.parametrize(
    "arguments, parts",
    [
        ([], ["--config FILE is required"]),
        (["--config", "none.yaml"], ["none.yaml: no such file"]),
        (["--config", "."], ["folder"]),
        (["--config"], ["config"]),
        (["--bogus"], ["bogus"]),
        (["extra", "--config", "ppo.yaml"], ["extra"]),
        (["--config", "ppo.yaml", "--set", "training.lr"], ["--set training.lr: "]),
        (["--config", "ppo.yaml", "--set", "training.lr=x"], ["--set training.lr=x: training.lr: expected a number"]),
        (["--config", "ppo.yaml", "--set", "trainin.lr=1"], ['Did you mean "training"?']),
        (["--config", "ppo.yaml", "--device", "tpu"], ["--device tpu: expected cpu or cuda"]),
        (["--config", "ppo.yaml", "--resume", "nowhere"], ["--resume nowhere: no such folder"]),
        (["--config", "ppo.yaml", "--resume", "."], ["last.pt"]),
        (["--config", "ppo.yaml", "--env-library", "x.so"], ["environment.library", "small environments"]),
    ],
)
def test_bad_usage_is_one_line(tmp_path, arguments, parts):
    (tmp_path / "ppo.yaml").write_text(MINIMAL)
    assert_refused(run(*arguments, cwd=tmp_path), *parts)


def test_noise_for_a_config_never_crashes(tmp_path):
    seed = int(os.environ.get("ORBIT_TEST_SEED") or int.from_bytes(os.urandom(4), "little"))
    print(f"repeat with ORBIT_TEST_SEED={seed}")
    import random

    rng = random.Random(seed)
    good = ORIGINAL.encode()
    for trial in range(20):
        text = bytearray(good)
        for _ in range(rng.randrange(1, 8)):
            at = rng.randrange(len(text))
            noise = bytes(rng.choice(b"\t\n:{}[]&*!|>'\"%@`,# -?ab01\x00\xff") for _ in range(rng.randrange(4)))
            text[at : at + rng.randrange(4)] = noise
        (tmp_path / "ppo.yaml").write_bytes(text)
        done = run("--config", "ppo.yaml", "--dry-run", "--set", "model.hidden=16", cwd=tmp_path)
        assert done.returncode in (0, 2), (trial, done.returncode, done.stderr)
        if done.returncode == 2:
            assert_refused(done)


def test_dry_run_of_an_original_file_shows_every_setting(tmp_path):
    (tmp_path / "old.yaml").write_text(ORIGINAL)
    done = run("--config", "old.yaml", "--dry-run", "--set", "training.lr=1e-3", cwd=tmp_path)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    ignored = ("training.opponent_pool is ignored", "training.heldout_eval is ignored")
    for part in ("lr: 0.001", "switch_iter: 20", "board_bank_size:", *ignored):
        assert part in done.stdout
    assert list(tmp_path.iterdir()) == [tmp_path / "old.yaml"]  # nothing was written


@pytest.mark.parametrize("config", sorted(path.name for path in (ROOT / "configs").glob("*.yaml")))
def test_shipped_configs_pass(config):
    # The environment of upright_duck.yaml is a library that is converted from Python; here the one that it is made from.
    other = ["--set", "environment.name=microduck"] if config == "upright_duck.yaml" else []
    done = run("--config", ROOT / "configs" / config, *other, "--dry-run")
    assert done.returncode == 0 and done.stderr == "", done.stderr


def test_help_and_version():
    done = run("--help")
    assert done.returncode == 0 and done.stderr == ""
    for flag in ("--config", "--set", "--resume", "--device", "--dry-run", "--env-library", "--help", "--version"):
        assert flag in done.stdout
    done = run("--version")
    assert done.returncode == 0 and done.stdout.startswith("orbit_train ")


def test_scripts_refuse_what_they_do_not_know():
    for script, arguments in (("test.sh", ["--fast"]), ("setup.sh", ["everything"])):
        done = subprocess.run([ROOT / "scripts" / script, *arguments], capture_output=True, text=True)
        assert_refused(done)


def test_missing_system_packages_are_named(tmp_path):
    for tool in ("bash", "dirname", "flock", "tr", "sed", "python3", "ninja", "g++"):  # no cmake, no apt-get
        path = subprocess.run(["which", tool], capture_output=True, text=True).stdout.strip()
        (tmp_path / tool).symlink_to(path)
    done = subprocess.run([ROOT / "scripts/train.sh"], capture_output=True, text=True, env={"PATH": str(tmp_path)})
    assert_refused(done, "cmake")

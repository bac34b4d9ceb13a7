"""orbit_eval: win rates of saved weights."""
import json
import os
import subprocess
from pathlib import Path

import torch

from policy_reference import ActorCritic

ROOT = Path(__file__).resolve().parents[2]
BIN = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build")) / "bin" / "orbit_eval"
CONFIG = """
model: {hidden: 16, attn_heads: 2, inducing_points: 4, encoder_layers: 1, no_op_bias: BIAS}
training: {iterations: 1, episodes_per_iter: 1, decoder: strict}
evaluation: {games: 6}
device: {threads: 1}
"""


def play(tmp_path, *arguments, bias="0.0"):
    (tmp_path / "c.yaml").write_text(CONFIG.replace("BIAS", bias))
    torch.manual_seed(1)
    torch.save(ActorCritic(hidden=16, heads=2, points=4, layers=1).state_dict(), tmp_path / "w.pt")
    command = [str(BIN), "--config", str(tmp_path / "c.yaml"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=300)


def test_equal_games_give_equal_results(tmp_path):
    weights = ["--weights", str(tmp_path / "w.pt")]
    first, second = (play(tmp_path, *weights, "--json", "-") for _ in range(2))
    assert first.returncode == 0, first.stderr
    assert first.stdout == second.stdout
    rows = [json.loads(line) for line in first.stdout.splitlines()]
    assert sorted(row["opponent"] for row in rows) == ["random", "starter"]
    for row in rows:
        assert row["games"] == 6 == row["won"] + row["shared"] + row["lost"]
        assert row["interval"][0] <= row["win_rate"] <= row["interval"][1]


def test_a_policy_that_never_launches_shares_every_game_with_noop(tmp_path):
    """Boards are symmetric, so two idle seats end with equal scores, and equal scores share the win."""
    done = play(tmp_path, "--weights", str(tmp_path / "w.pt"), "--opponents", "noop", "--json", "-", bias="-1000.0")
    row = json.loads(done.stdout)
    assert (row["won"], row["shared"], row["lost"]) == (0, 6, 0)


def test_mistakes_are_one_line(tmp_path):
    for arguments in (["--weights", str(tmp_path / "none.pt")], ["--weights", str(tmp_path / "c.yaml")], [],
                      ["--weights", str(tmp_path / "w.pt"), "--opponents", "strong"], ["--weights", str(tmp_path / "w.pt"), "--games", "x"]):
        done = play(tmp_path, *arguments)
        assert done.returncode == 2, arguments
        assert len(done.stderr.strip().splitlines()) == 1 and not done.stdout, arguments


def test_the_shipped_weights_fit_the_default_config_and_load_in_pytorch(tmp_path):
    weights = ROOT / "weights" / "orbit_small.pt"
    model = ActorCritic(hidden=16, heads=2, points=4, layers=1, no_op_bias=2.0)
    model.load_state_dict(torch.load(weights, weights_only=True))
    done = subprocess.run([str(BIN), "--config", str(ROOT / "configs" / "ppo.yaml"), "--weights", str(weights), "--games", "40",
                           "--opponents", "random", "--json", "-"], capture_output=True, text=True, timeout=300)
    assert json.loads(done.stdout)["win_rate"] > 0.9, done.stdout + done.stderr

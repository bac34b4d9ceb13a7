"""benchmarks/loop_tiers.py: every side that PyTorch alone runs, in the smallest form, and what it writes; the loop in PyTorch computes
what it should."""
import itertools
import json
import os
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import torch

import gae_reference
from training_runs import ROOT, fresh_draws

sys.path.insert(0, str(ROOT / "benchmarks" / "loops"))
import side  # noqa: E402
import torch_envs  # noqa: E402
import torch_loop  # noqa: E402

SIDES = ("native-torch", "eager-bf16", "fused")


def run(*arguments):
    build = os.environ.get("ORBIT_BUILD_DIR", str(ROOT / "build"))
    return subprocess.run([sys.executable, ROOT / "benchmarks/loop_tiers.py", *map(str, arguments)], capture_output=True, text=True,
                          timeout=300, env=os.environ | {"ORBIT_BUILD_DIR": build})


def test_sides_take_turns_and_all_that_was_measured_is_written(tmp_path):
    out = tmp_path / "two words"
    done = run("--sides", ",".join(SIDES), "--sizes", "3,8", "--updates", 1, "--seconds", 0.01, "--rounds", 1, "--threads", 1,
               "--out", out)
    assert done.returncode == 0, done.stdout + done.stderr
    rows = json.loads((out / "loop_tiers.json").read_text())["rows"]
    found = [(row["num_envs"], row["part"], row["side"]) for row in rows]
    without = {(8, "env", "eager-bf16")} | {(3, part, "eager-bf16") for part in side.PARTS}  # bfloat16 at 8 and 16 environments alone
    assert found == [case for case in itertools.product((3, 8), side.PARTS, SIDES) if case not in without]
    for row in rows:
        assert row["steps_per_second"] == pytest.approx(row["steps"] / row["seconds"]) and row["seconds"] > 0
        if row["part"] == "train":
            assert row["steps"] == row["num_envs"] * side.HORIZON
    for num_envs, part in itertools.product((3, 8), side.PARTS):
        assert f"{num_envs} environments, {part}; fused does" in done.stdout
    picture = ElementTree.parse(out / "loop_tiers.svg")
    lines = picture.findall(".//{http://www.w3.org/2000/svg}polyline")
    assert len(lines) == 2 * len(SIDES)  # rollouts, whole iterations


def test_the_loops_advantages_are_those_of_the_definition():
    draw = fresh_draws()
    torch.manual_seed(draw.randrange(2**32))
    setting = side.Setting(num_envs=5, minibatch_size=64, shared=True, threads=1, seconds=1.0, updates=1)
    loop = torch_loop.Loop(setting, torch_envs.GymnasiumEnvs(5, seed=1))
    ended = torch.rand(side.HORIZON, 5) < 0.1
    loop.rewards, loop.values, last_value = torch.randn(side.HORIZON, 5), torch.randn(side.HORIZON, 5), torch.randn(5)
    loop.dones[1:], loop.done = ended[:-1].float(), ended[-1].float()
    loop.agent.value = lambda observation: last_value
    expected, _ = gae_reference.advantages(
        {"rewards": loop.rewards.double(), "values": loop.values.double(), "final_values": last_value.double().expand(side.HORIZON, 5),
         "terminated": ended, "truncated": torch.zeros_like(ended).index_fill(0, torch.tensor([side.HORIZON - 1]), True),
         "gamma": side.GAMMA, "lambda": side.GAE_LAMBDA})
    assert torch.allclose(loop.advantages().double(), expected, rtol=1e-4, atol=1e-4)  # float32 over up to 128 steps


@pytest.mark.parametrize("arguments, parts", [
    (["--sides", "fused,slow"], ['"slow"', "gymnasium-torch"]),
    (["--parts", "sleep"], ['"sleep"', "rollout"]),
    (["--sizes", "8,many"], ["8,many"]),
    (["--sizes", "0"], ["at least 1"]),
    (["--sides", "jax"], ["--sides", "none is left"]),
    (["--bogus"], ["--bogus"]),
])
def test_a_mistake_is_one_line(tmp_path, arguments, parts):
    done = run(*arguments, "--out", tmp_path / "none")
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    for part in parts:
        assert part in done.stderr
    assert not (tmp_path / "none").exists()

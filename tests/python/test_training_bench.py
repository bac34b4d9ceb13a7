"""orbit_bench rollout and train: what scripts of others read from them, and how they answer mistakes."""
import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCH = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build")) / "bin" / "orbit_bench"
SMALL = ["--num-envs", 3, "--threads", 1, "--steps", 6, "--rounds", 2, "--set", "environment.board_bank_size=2"]


def bench(command, *arguments):
    return subprocess.run([BENCH, command, *map(str, arguments)], capture_output=True, text=True, timeout=120)


def rows(command, *arguments):
    done = bench(command, *SMALL, *arguments, "--json", "-")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("command, parts", [("rollout", ["env", "+inference"]), ("train", ["env", "+inference", "+update"])])
def test_each_part_includes_those_before(command, parts):
    found = rows(command)
    assert [row["part"] for row in found] == parts
    for row in found:
        assert (row["bench"], row["environment"], row["num_envs"], row["threads"]) == (command, "orbit_wars", 3, 1)
        assert row["players"] == 2 and row["mean_fleets"] >= 0 and row["spread"] >= 0
        assert row["ns_per_step"] * row["steps_per_second"] == pytest.approx(1e9)
    for row in found[1:]:
        assert row["cpu_ns_per_step"] > 0
        assert sum(row["share"].values()) == pytest.approx(1) and 0 < row["share"]["matrix products"] < 1
        assert 0 < row["share_of_peak"] < 1 and row["peak_flop_per_second"] > 1e8


@pytest.mark.parametrize("players, fleets, least, most", [(2, 0, 0, 0), (2, 11, 8, 14), (4, 100, 80, 120)])
def test_recorded_games_have_their_fleets_whatever_the_policy_does(players, fleets, least, most):
    for row in rows("train", "--players", players, "--fleets", fleets, "--num-envs", 40, "--set", "training.minibatch_size=40"):
        assert (row["players"], row["num_envs"]) == (players, 40)
        assert least <= row["mean_fleets"] <= most and row["steps_per_second"] > 0


def test_a_fused_rollout_has_no_part_of_its_own_for_the_environment():
    done = bench("train", "--config", ROOT / "configs/cartpole.yaml", "--steps", 8, "--rounds", 1, "--json", "-")
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["part"] for row in found] == ["+inference", "+update"]
    assert all(value is not None for row in found for value in row.values())
    done = bench("rollout", "--config", ROOT / "configs/cartpole.yaml", "--set", "device.fused=false", "--steps", 8, "--json", "-")
    assert [json.loads(line)["part"] for line in done.stdout.splitlines()] == ["env", "+inference"]


def test_products_are_those_of_the_network():
    """A bigger network, whose count of multiplications is known from its shape, within what the rows that are left out are worth."""
    sizes = ["--set", "model.hidden=64", "--set", "model.inducing_points=8", "--set", "training.opponent=self",
             "--set", "training.minibatch_size=9", "--set", "training.ppo_epochs=1"]
    _, inference, update = rows("train", *sizes)
    h, planets, points, layers = 64, 36, 8, 1
    # Of one state if every slot were real: projections, output and feed-forward of two blocks a layer, pooling, heads.
    block = layers * (planets * (2 + 1 + 1 + 4) + points * (2 + 1 + 4)) * h * h
    most = 2 * (block + (planets * (2 + 2) + 8 * planets) * h * h + planets * 41 * h)
    states = 2  # both seats
    assert 0.25 * most < inference["product_flop_per_step"] / states < most
    learned = update["product_flop_per_step"] - inference["product_flop_per_step"]
    assert 2.5 < learned / inference["product_flop_per_step"] < 3.5  # forward and backward cost three times the forward


def test_part_of_the_updates_stands_for_all():
    sizes = ["--set", "training.minibatch_size=2", "--set", "training.ppo_epochs=2"]
    whole, part = (rows("train", *sizes, *more)[2]["product_flop_per_step"] for more in ([], ["--minibatches", 3]))
    assert part == pytest.approx(whole, rel=0.3)


@pytest.mark.parametrize(
    "arguments, parts",
    [
        (["--num-envs", "0"], ["--num-envs", "at least 1"]),
        (["--rounds", "0"], ["--rounds", "at least 1"]),
        (["--steps", "many"], ["many"]),
        (["--config", "none.yaml"], ["none.yaml"]),
        (["--set", "training.gama=1"], ["gama"]),
        (["--environment", "no_such_game"], ["no_such_game"]),
        (["--json", "/no/such/folder/rows"], ["--json /no/such/folder/rows"]),
        (["--bogus"], ["bogus"]),
        (["--fleets", "7"], ["7", "0, 11, 100 or 400"]),
        (["--fleets", "11", "--config", ROOT / "configs/cartpole.yaml"], ["--fleets", "orbit_wars"]),
    ],
)
def test_a_mistake_is_one_line(arguments, parts):
    done = bench("train", *arguments)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, (done.returncode, done.stderr)
    for part in parts:
        assert part in done.stderr

"""orbit_bench env: what scripts of others read from it, and how it answers mistakes."""
import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BENCH = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build")) / "bin" / "orbit_bench"
TRACES = ROOT / "tests" / "data" / "traces"
PARTS = ["step", "step+aim+decode", "step+features", "whole-game"]
QUICK = ["--seconds", "0", "--threads", "1"]


def bench(*arguments):
    return subprocess.run([BENCH, "env", *map(str, arguments)], capture_output=True, text=True, timeout=120)


def rows(*arguments):
    done = bench(*arguments, *QUICK, "--json", "-")
    assert done.returncode == 0 and done.stderr == "", done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("players, fleets, least, most", [(2, 0, 0, 0), (2, 11, 8, 14), (4, 11, 8, 22), (4, 100, 80, 120)])
def test_a_load_has_the_fleets_it_is_named_after(players, fleets, least, most):
    (row,) = rows("--players", players, "--fleets", fleets, "--num-envs", 7, "--part", "step")
    assert least <= row["mean_fleets"] <= most
    assert (row["players"], row["num_envs"], row["threads"]) == (players, 7, 1)


def test_every_part_is_measured_and_its_time_is_shared_out():
    found = rows("--players", 2, "--fleets", 11, "--num-envs", 64)
    assert [row["part"] for row in found] == PARTS
    pieces = {"step": {"step"}, "step+aim+decode": {"step", "aim+decode"}, "step+features": {"step", "features"},
              "whole-game": {"step", "boards"}}
    for row in found:
        assert row["bench"] == "env" and row["environment"] == "orbit_wars"
        assert row["steps_per_second"] > 0 and row["spread"] >= 0 and row["cpu_ns_per_step"] > 0
        assert row["ns_per_step"] * row["steps_per_second"] == pytest.approx(1e9)
        assert set(row["share"]) - {"reset"} == pieces[row["part"]]
        assert sum(row["share"].values()) == pytest.approx(1)
    assert found[-1]["games_per_second"] > 0


@pytest.mark.parametrize("environment", ["cartpole", "microduck", "dice_walk"])
def test_small_environments_are_measured(environment):
    library = ["--env-library", BENCH.parents[1] / "lib" / "dice_walk.so"] if environment == "dice_walk" else []
    for row, num_envs in zip(rows("--environment", environment, *library), [1, 16, 64, 256, 512, 1024, 2048, 4096], strict=True):
        assert (row["bench"], row["environment"], row["part"]) == ("env", environment, "step")
        assert (row["num_envs"], row["threads"], row["precision"]) == (num_envs, 1, "float")
        assert row["steps_per_second"] > 0 and row["spread"] >= 0


def test_memory_of_an_environment_stays_below_its_limit():
    (row,) = rows("--players", 2, "--fleets", 0, "--num-envs", 3, "--part", "step")
    assert row["bytes_per_env_without_history"] < row["bytes_per_env"]
    assert row["bytes_per_env_without_history"] < 40 * 1024  # with 512 fleets


def test_more_environments_than_recorded_turns(tmp_path):
    target = tmp_path / "rows.jsonl"
    done = bench("--trace", TRACES / "noop-2p-1.jsonl.gz", "--num-envs", 1200, "--part", "step", *QUICK, "--json", target)
    assert done.returncode == 0 and done.stderr == "", done.stderr
    assert "share of its time" in done.stdout
    assert json.loads(target.read_text())["num_envs"] == 1200


@pytest.mark.parametrize(
    "arguments, parts",
    [
        (["--num-envs", "0"], ["--num-envs", "at least 1"]),
        (["--num-envs", "some"], ["some"]),
        (["--fleets", "12"], ["--fleets", "0, 11, 100 or 400"]),
        (["--num-envs", "1", "--threads", "2"], ["--threads", "--num-envs"]),
        (["--part", "steps"], ["--part steps", "step+features"]),
        (["--environment", "cartpol"], ["--environment cartpol:", "orbit_wars, cartpole"]),
        (["--environment", "cartpole", "--players", "2"], ["--players", "only for --environment orbit_wars"]),
        (["--environment", "cartpole", "--precision", "half"], ["--precision half", "float or double"]),
        (["--environment", "cartpole", "--num-envs", "16", "--threads", "2"], ["--threads", "512"]),
        (["--env-library", "none.so"], ["--env-library none.so", "no such file"]),
        (["--trace", "none.jsonl"], ["none.jsonl"]),
        (["--trace", str(TRACES / "scenarios.jsonl.gz")], ["scenarios.jsonl.gz", "made by hand"]),
        (["--trace", str(TRACES / "noop-2p-0.jsonl.gz"), "--trace", str(TRACES / "noop-4p-21.jsonl.gz")], ["noop-4p-21", "rules"]),
        (["--json", "/no/such/folder/rows"], ["--json /no/such/folder/rows"]),
        (["--bogus"], ["bogus"]),
    ],
)
def test_a_mistake_is_one_line(arguments, parts):
    done = bench(*arguments)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, (done.returncode, done.stderr)
    for part in parts:
        assert part in done.stderr

"""orbit_parity gae, update and sample on fresh cases of scripts/parity_reference.py, whole folders, faults, bad cases."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import gae_reference
import sampling_reference

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
import parity_reference as cases  # noqa: E402

torch.set_num_threads(1)  # small networks: threads cost more than they bring
PARITY = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build")) / "bin" / "orbit_parity"


@pytest.fixture
def seed():
    value = int(os.environ.get("ORBIT_TEST_SEED", torch.seed() % 2**31))
    print(f"repeat with ORBIT_TEST_SEED={value}")
    return value


def run(command, *arguments):
    """Exit code, JSON rows and the error of orbit_parity."""
    done = subprocess.run([PARITY, command, "--json", "-", *map(str, arguments)], capture_output=True, text=True, timeout=120)
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()], done.stderr


def check(command, case, folder, *more):
    torch.save(case, folder / "case.pt")
    code, rows, error = run(command, "--case", folder / "case.pt", *more)
    assert code in (0, 1) and error == "", error
    assert code == (not all(row["ok"] for row in rows))
    return code, rows


def test_philox_known_answers():
    """Of Random123, which comes with the paper."""
    assert sampling_reference.philox(0, (0, 0, 0, 0)) == [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]
    ones = 0xFFFFFFFF
    assert sampling_reference.philox(2**64 - 1, (ones,) * 4) == [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]


def test_gae(seed, tmp_path):
    for i in range(3):
        case = cases.gae_case(seed + i)
        assert (case["terminated"] & case["truncated"]).any() and (case["truncated"] & ~case["terminated"]).any()
        code, rows = check("gae", case, tmp_path)
        assert code == 0, rows
        assert [row["name"] for row in rows] == ["advantages", "returns", "normalised"]


SIZES = cases.SIZES if os.environ.get("ORBIT_FULL_TESTS") else cases.SIZES[:3]


@pytest.mark.parametrize("observations", cases.OBSERVATIONS)
@pytest.mark.parametrize("config", SIZES, ids=lambda c: f"hidden{c['hidden']}")
def test_adamw_continues_here(config, observations, seed, tmp_path):
    case = cases.update_case(config, 9, seed, cases.OBSERVATIONS[observations])
    code, rows = check("update", case, tmp_path, "--layout", "padded" if seed % 2 else "packed")
    assert code == 0, [row for row in rows if not row["ok"]]
    assert len(rows) == 10 + 3 * len(case["state_dict"])
    # Worth the check: many gradients were sure, and nearly all tensors have moved by far more than the tolerance.
    sure = sum(sum((after["clipped"][name].abs() > 1e-4).sum() for after in case["after"]) for name in case["state_dict"])
    assert sure > 0.3 * 10 * sum(p.numel() for p in case["state_dict"].values())
    moved = sum(bool((case["state_dict_after"][name] - p).abs().max() > 1e-4) for name, p in case["state_dict"].items())
    assert moved > 0.9 * len(case["state_dict"])


@pytest.mark.parametrize("observations", cases.OBSERVATIONS)
@pytest.mark.parametrize("config", cases.SIZES, ids=lambda c: f"hidden{c['hidden']}")
def test_actions(config, observations, seed, tmp_path):
    case = cases.sample_case(config, 5, seed, cases.OBSERVATIONS[observations], draws=500)
    code, rows = check("sample", case, tmp_path)
    assert code == 0, [row for row in rows if not row["ok"]]
    assert len(rows) == 8


def test_a_folder_of_cases(seed, tmp_path):
    for i in range(2):
        torch.save(cases.gae_case(seed + i), tmp_path / f"gae-{i}.pt")
    (tmp_path / "other-0.pt").write_bytes(b"not looked at")
    code, rows, error = run("gae", "--case", tmp_path)
    names = ["gae-0: advantages", "gae-0: returns", "gae-0: normalised", "gae-1: advantages"]
    assert (code, error) == (0, "") and [row["name"] for row in rows[:4]] == names
    code, rows, error = run("sample", "--case", tmp_path)
    assert code == 2 and "parity_reference.py" in error and error.count("\n") == 1


def test_the_script_writes_what_the_commands_read(seed, tmp_path):
    only = ["gae", "features", "env"] if os.environ.get("ORBIT_FULL_TESTS") else ["gae"]
    subprocess.run([sys.executable, ROOT / "scripts/parity_reference.py", tmp_path, "--seed", str(seed), "--only", *only], check=True)
    assert run("gae", "--case", tmp_path)[0] == 0
    if "env" in only:
        assert run("features", "--data", tmp_path / "features")[0] == 0
        assert run("env", "--trace", *(tmp_path / "env").iterdir())[0] == 0


def test_bad_cases(tmp_path):
    case = cases.gae_case(1)
    bad = {"no rewards": {k: v for k, v in case.items() if k != "rewards"}, "text": case | {"gamma": "x"}, "a list": [1],
           "other shape": case | {"advantages": case["advantages"][1:]}}
    for name, value in bad.items():
        torch.save(value, tmp_path / "case.pt")
        code, rows, error = run("gae", "--case", tmp_path / "case.pt")
        assert code == 2 and rows == [] and error.count("\n") == 1 and str(tmp_path / "case.pt") in error, (name, error)
    for command in ("policy", "gae", "update", "sample"):
        for arguments in (["--case", tmp_path / "none.pt"], ["--layout", "x"], ["stray"], ["--what"]):
            code, rows, error = run(command, *arguments)
            assert code == 2 and error.count("\n") == 1, (command, arguments, error)


# One fault at a time in the case, as if ours had it. What no case can stand for is in test_mutants.py.
def change(case, *path):
    """Makes one number a little larger."""
    for key in path[:-1]:
        case = case[key]
    value = case[path[-1]]
    case[path[-1]] = value + 1e-3 * value.abs().max() if isinstance(value, torch.Tensor) else value * 1.001


def moments(case):
    return next(iter(case["optimizer"]["state"].values()))


GAE_FAULTS = {
    "gamma": lambda c: change(c, "gamma"),
    "lambda": lambda c: change(c, "lambda"),
    "truncated as terminated": lambda c: c.update({"terminated": c["terminated"] | c["truncated"]}),
    "terminated as truncated": lambda c: c.update({"truncated": c["truncated"] | c["terminated"],
                                                 "terminated": torch.zeros_like(c["terminated"])}),
    "wrong sign": lambda c: c.update({"rewards": -c["rewards"]}),
    "values of the next step": lambda c: c.update({"values": c["values"].roll(1, 0)}),
    "idle steps counted": lambda c: c.update({"active": torch.ones_like(c["active"])}),
}
UPDATE_FAULTS = {
    "learning rate": lambda c: change(c, "optimizer", "param_groups", 0, "lr"),
    "weight decay": lambda c: c["optimizer"]["param_groups"][0].update({"weight_decay": 0.0}),
    "betas": lambda c: c["optimizer"]["param_groups"][0].update({"betas": (0.9, 0.99)}),
    "eps": lambda c: c["optimizer"]["param_groups"][0].update({"eps": 1e-6}),
    "forgotten moments": lambda c: c["optimizer"].update({"state": {}}),
    "swapped moments": lambda c: moments(c).update({"exp_avg": moments(c)["exp_avg_sq"], "exp_avg_sq": moments(c)["exp_avg"] ** 2}),
    "step count": lambda c: [entry.update({"step": torch.tensor(1.0)}) for entry in c["optimizer"]["state"].values()],
    "clip norm": lambda c: change(c, "max_grad_norm"),
    "advantage sign": lambda c: c["batches"][9].update({"advantages": -c["batches"][9]["advantages"]}),
    "order of batches": lambda c: c["batches"].reverse(),
}
SAMPLE_FAULTS = {
    "seed": lambda c: c.update({"seed": c["seed"] + 1}),
    "step": lambda c: c.update({"step": c["step"] + 1}),
    "agent": lambda c: c.update({"agent": c["agent"] + 1}),
    "ships": lambda c: c["state_dict"].update({"ship_log_std.log_std": c["state_dict"]["ship_log_std.log_std"] + 0.01}),
    "no-op bias": lambda c: c["config"].update({"no_op_bias": 0.5}),
}
FAULTS = ([("gae", name, f) for name, f in GAE_FAULTS.items()] + [("update", name, f) for name, f in UPDATE_FAULTS.items()]
          + [("sample", name, f) for name, f in SAMPLE_FAULTS.items()])


@pytest.fixture(scope="module")
def good():
    made = {"gae": cases.gae_case(5), "update": cases.update_case(cases.SIZES[0], 9, 5), "sample": cases.sample_case(cases.SIZES[0], 9, 5)}
    return made


@pytest.mark.parametrize("command, name, fault", FAULTS, ids=[f"{c}-{n}" for c, n, _ in FAULTS])
def test_faults_are_found(command, name, fault, good, tmp_path):
    case = cases.copied(good[command])
    fault(case)
    assert check(command, case, tmp_path)[0] == 1

"""scripts/gpu_check.sh as far as a CPU can try it: a dry run, its bundle for another machine, and that its checks can fail."""
import gzip
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
pytest.importorskip("gymnasium")
sys.path.insert(0, str(ROOT / "scripts"))

import gpu_check  # noqa: E402
import orbit_ops  # noqa: E402, F401  loads the operators from the build folder

QUICK = ["--device", "cpu", "--quick"]


def run(script, *arguments):
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    return subprocess.run([str(script), *arguments], capture_output=True, text=True, env={**os.environ, "PATH": path}, check=False)


def test_dry_run_from_the_checkout(tmp_path):
    quick = [*QUICK, "--only", "play,small_envs,traces,advantages,schedules,throughput"]
    done = run(ROOT / "scripts" / "gpu_check.sh", *quick, "--json", tmp_path / "rows")
    assert done.returncode == 0, done.stdout + done.stderr
    rows = [json.loads(line) for line in (tmp_path / "rows").read_text().splitlines()]
    assert [row["verdict"] for row in rows] == ["passed"] * 6 and "dry run" in rows[0]["device"]


def test_bundle_runs_by_itself(tmp_path):
    bundle = tmp_path / "bundle"
    done = run(ROOT / "scripts" / "gpu_check.sh", "--pack", bundle)
    assert done.returncode == 0, done.stderr
    assert sum(f.stat().st_size for f in bundle.rglob("*")) < 60 * 2**20
    environment = subprocess.run(["readelf", "-d", bundle / "bin" / "orbit_train"], capture_output=True, text=True, check=True).stdout
    assert "$ORIGIN/../lib" in environment
    done = run(bundle / "gpu_check.sh", *QUICK, "--only", "traces,training")
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_without_a_gpu_it_says_so():
    done = run(ROOT / "scripts" / "gpu_check.sh")
    assert done.returncode == 2
    assert done.stderr.strip() == "gpu_check.sh: no GPU here; --device cpu is a dry run"


def test_a_state_that_differs_fails():
    state = torch.ops.orbit.make_state(2)
    assert gpu_check.states_differ(state, [t.clone() for t in state]) == 0
    for i, name in enumerate(torch.ops.orbit.state_names()):
        other = [t.clone() for t in state]
        other[i].view(-1)[-1] += 1
        with pytest.raises(gpu_check.Failed, match=name):
            gpu_check.states_differ(state, other)
        if state[i].is_floating_point():
            other[i].fill_(float("nan"))
            with pytest.raises(gpu_check.Failed, match=name):
                gpu_check.states_differ(state, other)


def test_a_small_environment_that_differs_fails(monkeypatch):
    monkeypatch.setattr(gpu_check, "copy_into", lambda to, values: to[0].add_(1e-3))
    with pytest.raises(gpu_check.Failed, match="cartpole: state_real"):
        gpu_check.check_small_envs("cpu", True)


def test_a_recorded_game_that_differs_fails(tmp_path, monkeypatch):
    name = gpu_check.TRACES[0]
    lines = gzip.open(gpu_check.DATA / f"{name}.jsonl.gz", "rt").read().splitlines()
    turn = json.loads(lines[10])
    turn["p"][3][2] += 1
    lines[10] = json.dumps(turn)
    for trace in gpu_check.TRACES:
        (tmp_path / f"{trace}.jsonl.gz").write_bytes(gzip.compress("\n".join(lines).encode()))
    monkeypatch.setattr(gpu_check, "DATA", tmp_path)
    with pytest.raises(gpu_check.Failed, match="state 10"):
        gpu_check.check_traces("cpu", True)

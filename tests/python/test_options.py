"""Options of training through the whole program: they run, resume exactly, and are written down; a run that diverges says so."""
import json
import math
import re
import statistics
import subprocess

import pytest
import torch

from training_runs import BIN, rows, train, write_config

EVERYTHING = ["training.observation_norm=true", "training.reward_norm=true", "training.kl_beta=0.05", "training.kl_reference_decay=0.9",
              "training.value_clip_eps=0.2", "training.accumulation=2", "training.lr_end=1e-4", "training.lr_schedule_steps=30",
              "training.lr_schedule=cosine", "training.clip_eps_schedule={end: 0.1, steps: 20}",
              "training.entropy_coef_schedule={end: 0.0, steps: 20, shape: cosine}", "training.kl_beta_schedule={end: 0.01, steps: 25}",
              "training.advantage_norm=minibatch", "model.init=orthogonal"]


def settings(*assignments):
    return [word for a in assignments for word in ("--set", a)]


def test_all_options_together_resume_exactly(tmp_path):
    whole_config, whole = write_config(tmp_path, "whole", "noop")
    train("--config", whole_config, *settings(*EVERYTHING))
    cut_config, cut = write_config(tmp_path, "cut", "noop")
    train("--config", cut_config, *settings(*EVERYTHING, "training.iterations=1"))
    train("--config", cut_config, "--resume", cut, *settings("training.iterations=3"))
    assert rows(cut) == rows(whole)
    assert (cut / "last.pt").read_bytes() == (whole / "last.pt").read_bytes()


def test_the_metrics_say_where_the_schedules_are(tmp_path):
    config, folder = write_config(tmp_path, "run", "noop")
    train("--config", config, *settings(*EVERYTHING, "training.entropy_coef=0.01", "training.clip_eps=0.2"))
    steps = 0
    for row in rows(folder):
        steps += row["updates"]
        passed = lambda whole: min(1, steps / whole)
        assert row["clip_eps"] == pytest.approx(0.2 - 0.1 * passed(20), rel=1e-6)
        assert row["entropy_coef"] == pytest.approx(0.01 * (1 + math.cos(math.pi * passed(20))) / 2, rel=1e-6, abs=1e-9)
        assert row["kl_beta"] == pytest.approx(0.05 - 0.04 * passed(25), rel=1e-6)
    assert steps > 0


def test_statistics_travel_with_the_weights(tmp_path):
    config, folder = write_config(tmp_path, "run", "noop")
    train("--config", config, *settings("training.observation_norm=true"))
    best = torch.load(folder / "best.pt", weights_only=True)
    count = best["observation_norm.globals.count"].item()
    assert count > 0 and best["observation_norm.planets.mean"].shape == (41,)
    assert (best["observation_norm.planets.variance"] >= 0).all()
    last = torch.load(folder / "last.pt", weights_only=True)
    assert last["model"]["observation_norm.globals.count"].item() == 4 * 4 * 40  # the first rollout counts twice: it is played anew
    played = subprocess.run([str(BIN.parent / "orbit_eval"), "--config", str(folder / "config.yaml"), "--weights", str(folder / "best.pt"),
                             "--games", "4"], capture_output=True, text=True, timeout=120)
    assert played.returncode == 0, played.stderr
    plain_config, _ = write_config(tmp_path, "plain")
    refused = subprocess.run([str(BIN.parent / "orbit_eval"), "--config", str(plain_config), "--weights", str(folder / "best.pt")],
                             capture_output=True, text=True, timeout=120)
    assert refused.returncode == 2 and "observation_norm" in refused.stderr and len(refused.stderr.strip().splitlines()) == 1


def finite(value):
    if isinstance(value, torch.Tensor):
        return bool(value.isfinite().all()) if value.is_floating_point() else True
    if isinstance(value, dict):
        return all(finite(v) for v in value.values())
    if isinstance(value, (list, tuple)):
        return all(finite(v) for v in value)
    return True


def weights(folder):
    return torch.load(folder / "last.pt", weights_only=True)["model"]


# A coefficient beyond what float32 holds makes every loss infinite or NaN; a tiny bound calls every loss exploding.
@pytest.mark.parametrize("cause", ["training.value_coef=1e300", "training.divergence_loss=1e-30"])
def test_a_run_that_diverges_goes_back_and_stops(tmp_path, cause):
    good_config, good = write_config(tmp_path, "good", "noop")
    train("--config", good_config, *settings("training.iterations=1", "evaluation.every=0"))
    config, folder = write_config(tmp_path, "bad", "noop")
    train("--config", config, *settings("training.iterations=1", "evaluation.every=0"))
    best = (folder / "best.pt").read_bytes()
    done = train("--config", config, "--resume", folder, *settings(cause, "training.iterations=20"), check=False)
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1 and "diverged" in done.stderr and "training.lr" in done.stderr
    assert done.stdout.count("diverged") == 5, done.stdout  # that often a lower learning rate was tried
    assert all(torch.equal(a, b) for a, b in zip(weights(folder).values(), weights(good).values()))
    assert (folder / "best.pt").read_bytes() == best
    assert finite(torch.load(folder / "last.pt", weights_only=True))
    marks = [row["diverged"] for row in rows(folder)]
    assert marks == [0, 1, 1, 1, 1, 1]
    # ... and once the cause is gone the run goes on, with the lower rate.
    plain = "training.value_coef=0.5" if "value_coef" in cause else "training.divergence_loss=1e6"
    train("--config", config, "--resume", folder, *settings(plain, "training.iterations=7"))
    last = rows(folder)[-1]
    assert last["diverged"] == 0 and last["lr"] == pytest.approx(1e-3 / 2**5)


def test_a_run_that_diverges_can_stop_at_once(tmp_path):
    config, folder = write_config(tmp_path, "run", "noop")
    done = train("--config", config, *settings("training.divergence_loss=1e-30", "training.on_divergence=stop"), check=False)
    assert done.returncode == 1 and "iteration 1: the loss diverged" in done.stderr
    assert finite(torch.load(folder / "last.pt", weights_only=True)) and not (folder / "best.pt").exists()


def test_several_seeds_and_their_summary(tmp_path):
    config, _ = write_config(tmp_path, "many", "noop")
    runs = tmp_path / "runs"
    done = train("--config", config, *settings("training.seeds=3", "training.iterations=2"))
    summary = json.loads((runs / "many-seeds.json").read_text())
    assert summary["seeds"] == [3, 4, 5]
    ends = [rows(runs / f"many-seed{seed}")[-1]["episode_return"] for seed in summary["seeds"]]
    found = summary["metrics"]["episode_return"]
    assert found["values"] == ends and len(set(ends)) > 1
    assert found["mean"] == pytest.approx(statistics.mean(ends)) and found["deviation"] == pytest.approx(statistics.stdev(ends))
    half = 4.303 * statistics.stdev(ends) / math.sqrt(3)
    assert found["interval"] == pytest.approx([statistics.mean(ends) - half, statistics.mean(ends) + half])
    assert "time_iteration" not in summary["metrics"] and "win_rate_random" in summary["metrics"]
    assert re.search(r"3 seeds.*many-seeds.json", done.stdout)
    # One of them alone is the same run; what is finished is not done again.
    alone_config, alone = write_config(tmp_path, "alone", "noop")
    train("--config", alone_config, *settings("training.seed=4", "training.iterations=2"))
    assert (alone / "last.pt").read_bytes() == (runs / "many-seed4" / "last.pt").read_bytes()
    again = train("--config", config, "--resume", "auto", *settings("training.seeds=3", "training.iterations=2"))
    assert again.stdout.count("has finished") == 3


@pytest.mark.parametrize("setting, said", [
    ("training.accumulation=3", "must be a multiple of training.accumulation"),
    ("training.clip_eps_schedule={end: 0, steps: 5}", "more than 0"),
    ("training.kl_beta_schedule={end: 0.1}", "steps is required"),
    ("training.lr_schedule=cubic", "linear"),
    ("training.on_divergence=panic", "lower_lr"),
    ("device.precision=fp16", "bf16"),
])
def test_bad_options_are_one_line(tmp_path, setting, said):
    config, _ = write_config(tmp_path, "run")
    done = train("--config", config, *settings(setting), check=False)
    assert done.returncode == 2
    assert len(done.stderr.strip().splitlines()) == 1 and said in done.stderr, done.stderr


def test_a_reference_cannot_move_and_be_played(tmp_path):
    config, _ = write_config(tmp_path, "run", "self_snapshot")
    done = train("--config", config, *settings("training.kl_beta=0.1", "training.kl_reference_decay=0.9"), check=False)
    assert done.returncode == 2 and "self_snapshot" in done.stderr

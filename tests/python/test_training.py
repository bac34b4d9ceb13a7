"""Whole runs of orbit_train: repeatable, resumable after a signal, and readable in PyTorch by name."""
import resource
import signal
import subprocess

import pytest
import torch

from policy_reference import ActorCritic
from training_runs import BIN, fresh_draws, rows, train, write_config

@pytest.mark.parametrize("opponent", ["self", "noop", "random", "starter", "self_snapshot", "pool"])
def test_equal_runs_write_equal_files(tmp_path, opponent):
    a_config, a = write_config(tmp_path, "a", opponent)
    b_config, b = write_config(tmp_path, "b", opponent)
    train("--config", a_config)
    train("--config", b_config)
    assert len(rows(a)) == 3
    assert rows(a) == rows(b)
    assert (a / "last.pt").read_bytes() == (b / "last.pt").read_bytes()
    for name in ("config.yaml", "run.json", "train.log", "best.pt", "report.html"):
        assert (a / name).stat().st_size > 0, name


def test_a_run_stopped_by_a_signal_goes_on_exactly(tmp_path):
    whole_config, whole = write_config(tmp_path, "whole")
    train("--config", whole_config)
    cut_config, cut = write_config(tmp_path, "cut")
    draw = fresh_draws()
    arguments, stops = ["--config", cut_config], 0
    for _ in range(12):
        process = subprocess.Popen([str(BIN), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            out, err = process.communicate(timeout=draw.uniform(0.3, 2.5))
        except subprocess.TimeoutExpired:
            process.send_signal(draw.choice([signal.SIGINT, signal.SIGTERM]))
            out, err = process.communicate(timeout=120)
        assert process.returncode in (0, -signal.SIGINT, -signal.SIGTERM), err
        if "finished" in out:
            break
        if process.returncode == 0:
            assert "--resume" in out, out
            stops += 1
        if (cut / "last.pt").exists():
            arguments = ["--config", cut_config, "--resume", cut]
        elif cut.exists():  # stopped before anything was saved
            arguments = ["--config", cut_config, "--resume", "auto"]
    else:
        train(*arguments)
    assert rows(cut) == rows(whole), f"after {stops} stops"
    assert (cut / "last.pt").read_bytes() == (whole / "last.pt").read_bytes()


def test_weights_load_in_pytorch_by_name(tmp_path):
    config, folder = write_config(tmp_path, "run")
    train("--config", config)
    model = ActorCritic(hidden=16, heads=2, points=4, layers=1, no_op_bias=0.0)
    model.load_state_dict(torch.load(folder / "best.pt", weights_only=True))
    last = torch.load(folder / "last.pt", weights_only=True)
    model.load_state_dict(last["model"])
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    optimizer.load_state_dict(last["optimizer"])
    names = [name for name, _ in model.named_parameters()]
    assert len(last["optimizer"]["state"]) == len(names)
    assert optimizer.state_dict()["state"][0]["step"] == sum(row["updates"] for row in rows(folder))


def test_python_weights_start_a_run(tmp_path):
    torch.manual_seed(5)
    model = ActorCritic(hidden=16, heads=2, points=4, layers=1, no_op_bias=0.0)
    torch.save(model.state_dict(), tmp_path / "mine.pt")
    config, folder = write_config(tmp_path, "run")
    train("--config", config, "--set", f"training.resume_from={tmp_path}/mine.pt", "--set", "training.lr=0", "--set",
          "training.weight_decay=0", "--set", "training.iterations=1")
    after = torch.load(folder / "last.pt", weights_only=True)["model"]
    for name, tensor in model.state_dict().items():
        assert torch.equal(after[name], tensor), name


def python_checkpoint(path):
    """A model, and AdamW after three steps of it."""
    torch.manual_seed(7)
    model = ActorCritic(hidden=16, heads=2, points=4, layers=1, no_op_bias=0.0)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    for _ in range(3):
        for p in model.parameters():
            p.grad = torch.randn_like(p) * 0.01
        optimizer.step()
    torch.save({"net": model.state_dict(), "optim": optimizer.state_dict()}, path)
    return model, optimizer


def test_the_optimizer_of_python_goes_on(tmp_path):
    model, optimizer = python_checkpoint(tmp_path / "mine.pt")
    config, folder = write_config(tmp_path, "run")
    start = ["--set", f"training.resume_from={tmp_path}/mine.pt", "--set", "training.iterations=1"]
    # A limit on the loss that none meets: no update is applied, so that what is saved is what was loaded.
    nothing = ["--set", "training.divergence_loss=1e-30"]
    train("--config", config, *start, *nothing, "--set", "training.resume_optimizer=optim")
    saved = torch.load(folder / "last.pt", weights_only=True)["optimizer"]["state"]
    for index, entry in optimizer.state_dict()["state"].items():
        assert saved[index]["step"] == 3
        for name in ("exp_avg", "exp_avg_sq"):
            assert torch.equal(saved[index][name], entry[name]), (index, name)
    config, folder = write_config(tmp_path, "anew")
    train("--config", config, *start, *nothing)
    assert torch.load(folder / "last.pt", weights_only=True)["optimizer"]["state"][0]["step"] == 0


@pytest.mark.parametrize("settings, part", [
    (["training.resume_optimizer=optim"], "training.resume_from"),
    (["training.resume_from=MINE", "training.resume_optimizer=optimizer"], 'under "optimizer"'),
    (["training.resume_from=MINE", "training.resume_optimizer=net"], 'under "net"'),
    (["training.resume_from=OTHER", "training.resume_optimizer=optim"], "exp_avg"),
])
def test_no_optimizer_of_this_network(tmp_path, settings, part):
    python_checkpoint(tmp_path / "mine.pt")
    other = torch.load(tmp_path / "mine.pt", weights_only=True)
    other["optim"]["state"][0]["exp_avg"] = torch.zeros(3)
    torch.save(other, tmp_path / "other.pt")
    config, folder = write_config(tmp_path, "run")
    files = {"MINE": str(tmp_path / "mine.pt"), "OTHER": str(tmp_path / "other.pt")}
    words = [word for s in settings for word in ("--set", s.replace("MINE", files["MINE"]).replace("OTHER", files["OTHER"]))]
    done = train("--config", config, *words, check=False)
    assert done.returncode == 2 and len(done.stderr.strip().splitlines()) == 1 and part in done.stderr
    assert not folder.exists()


def test_imitation_weights_lack_the_value_head_alone(tmp_path):
    torch.manual_seed(6)
    model = ActorCritic(hidden=16, heads=2, points=4, layers=1, no_op_bias=0.0)
    part = {k: v for k, v in model.state_dict().items() if k.startswith(("backbone.", "head_per_planet."))}
    torch.save(part, tmp_path / "bc.pt")
    config, folder = write_config(tmp_path, "run", extra="bc_warmstart: {enabled: true, weights_path: %s/bc.pt}\n" % tmp_path)
    done = train("--config", config, "--set", "training.kl_beta=0.1", "--set", "training.iterations=1")
    assert "imitation-learned" in done.stdout
    assert rows(folder)[0]["reference_kl"] >= 0
    del part["head_per_planet.pair_proj.weight"]
    part["surplus.weight"] = torch.zeros(2)
    torch.save(part, tmp_path / "bc.pt")
    bad = train("--config", config, "--set", "output.run_name=bad", check=False)
    assert bad.returncode == 2
    assert len(bad.stderr.strip().splitlines()) == 1
    assert "head_per_planet.pair_proj.weight" in bad.stderr and "surplus.weight" in bad.stderr


def test_a_full_disk_leaves_the_last_checkpoint_whole(tmp_path):
    config, folder = write_config(tmp_path, "run")
    train("--config", config)
    before = (folder / "last.pt").read_bytes()
    limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) // 2, len(before) // 2))
    done = train("--config", config, "--resume", folder, "--set", "training.iterations=6", check=False, preexec_fn=limit)
    assert done.returncode == 1
    assert len(done.stderr.strip().splitlines()) == 1
    assert (folder / "last.pt").read_bytes() == before
    train("--config", config, "--resume", folder, "--set", "training.iterations=6")
    assert len(rows(folder)) == 6


def test_idle_slots_are_left_out(tmp_path):
    config, folder = write_config(tmp_path, "run", "noop")
    settings = ["--set", "environment.auto_reset=false", "--set", "environment.episode_steps=20", "--set", "training.iterations=1"]
    train("--config", config, *settings)
    row = rows(folder)[0]
    assert row["samples"] == 4 * 19 and row["episodes"] == 4 and row["finished_games"] == 4
    config, folder = write_config(tmp_path, "resetting", "noop")
    train("--config", config, "--set", "environment.episode_steps=20", "--set", "training.iterations=1")
    row = rows(folder)[0]
    assert row["samples"] == 4 * 40 and row["finished_games"] == 8 and row["episodes"] == 12


def test_four_players(tmp_path):
    config, folder = write_config(tmp_path, "run", "starter")
    train("--config", config, "--set", "environment.players=4", "--set", "training.iterations=1")
    assert rows(folder)[0]["samples"] == 4 * 40
    config, folder = write_config(tmp_path, "self")
    train("--config", config, "--set", "environment.players=4", "--set", "training.iterations=1")
    assert rows(folder)[0]["samples"] == 4 * 40 * 4


def test_curriculum_switches_opponents(tmp_path):
    config, folder = write_config(tmp_path, "run", "curriculum")
    text = config.read_text().replace("  decoder: strict", "  decoder: strict\n  opponent_curriculum: {switch_iter: 1, early: noop, "
                                      "mid: random, mid_switch_iter: 2, late: starter}")
    config.write_text(text)
    train("--config", config)
    assert len(rows(folder)) == 3


def test_deterministic_runs_are_equal_with_any_number_of_threads(tmp_path):
    """One thread for the network; games, features, orders, opponents and boards are shared out and come out the same."""
    draw = fresh_draws()
    files = []
    for threads in (1, 2, 3, draw.randrange(4, 9)):
        config, folder = write_config(tmp_path, f"t{threads}", "starter")
        train("--config", config, "--set", "device.deterministic=true", "--set", f"device.threads={threads}", "--set",
              "training.episodes_per_iter=16", "--set", "training.iterations=2", "--set", "model.hidden=64")
        files.append(((folder / "last.pt").read_bytes(), rows(folder)))
    assert all(file == files[0] for file in files)

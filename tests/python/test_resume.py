"""Runs that die: killed at any moment, on a full disk, in a folder that cannot be written. What was saved is never lost, and a
run that goes on ends bit for bit as one that was never interrupted."""
import ctypes
import json
import resource
import shutil
import signal
import subprocess
import time

import pytest
import torch

from training_runs import BIN, fresh_draws, rows, train, write_config

KILLS = 10
# Many short iterations: much of the time is spent in saving.
SHORT = ["--set", "training.iterations=12", "--set", "training.horizon=16", "--set", "evaluation.every=4"]


def started(arguments):
    return subprocess.Popen([str(BIN), *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def going_on(config, folder):
    """The command that a user would give after a kill: the folder where something was saved, else auto."""
    return ["--config", config, *SHORT, "--resume", folder if (folder / "last.pt").exists() else "auto"]


def killed(process):
    """Kills it; False if it had ended by itself."""
    process.send_signal(signal.SIGKILL)
    out, _ = process.communicate(timeout=60)
    assert process.returncode in (0, -signal.SIGKILL), out
    return process.returncode != 0


def assert_same_end(cut, whole):
    assert rows(cut) == rows(whole)
    for name in ("last.pt", "best.pt"):
        assert (cut / name).read_bytes() == (whole / name).read_bytes(), name
    assert sorted(path.name for path in cut.iterdir() if "tfevents" not in path.name) == \
        sorted(path.name for path in whole.iterdir() if "tfevents" not in path.name)


@pytest.mark.parametrize("opponent", ["self", "pool"])
def test_a_run_killed_at_random_moments_ends_as_one_that_was_not(tmp_path, opponent):
    draw = fresh_draws()
    config, whole = write_config(tmp_path, "whole", opponent)
    begin = time.monotonic()
    train("--config", config, *SHORT)
    seconds = time.monotonic() - begin
    config, cut = write_config(tmp_path, "cut", opponent)
    kills = 0
    while kills < KILLS:  # several runs: a lucky one finishes early
        while kills < KILLS and not finished(cut):
            process = started(going_on(config, cut))
            time.sleep(draw.uniform(0, seconds))
            kills += killed(process)
        train(*going_on(config, cut))
        print(f"{kills} kills so far")
        assert_same_end(cut, whole)
        shutil.rmtree(cut)


def finished(folder):
    return (folder / "report.html").exists()


def test_a_run_killed_while_it_saves_ends_as_one_that_was_not(tmp_path):
    draw = fresh_draws()
    config, whole = write_config(tmp_path, "whole")
    train("--config", config, *SHORT)
    config, cut = write_config(tmp_path, "cut")
    half_written, kills = cut / "last.pt.tmp", 0
    while kills < KILLS and not finished(cut):
        process = started(going_on(config, cut))
        saves = draw.randrange(2)  # the one to die in
        while process.poll() is None:
            if half_written.exists():
                if saves == 0:
                    break
                saves -= 1
                while half_written.exists() and process.poll() is None:
                    pass
        kills += killed(process)
    train(*going_on(config, cut))
    print(f"{kills} kills")
    assert_same_end(cut, whole)


def test_a_run_killed_before_its_last_files_writes_them(tmp_path):
    config, whole = write_config(tmp_path, "whole")
    train("--config", config, *SHORT)
    config, cut = write_config(tmp_path, "cut")
    for status in ("running", "finished"):  # run.json may have been written, the report was not
        shutil.rmtree(cut, ignore_errors=True)
        train("--config", config, *SHORT)
        (cut / "report.html").unlink()
        run = json.loads((cut / "run.json").read_text())
        (cut / "run.json").write_text(json.dumps({**run, "status": status}))
        train(*going_on(config, cut))
        assert json.loads((cut / "run.json").read_text())["status"] == "finished"
        assert_same_end(cut, whole)


def limited(size):
    """A limit on the size of files: a write beyond it fails, as on a full disk, which sends no signal."""

    def limit():
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

    return limit


def test_a_disk_that_fills_up_loses_nothing_that_was_saved(tmp_path):
    draw = fresh_draws()
    config, whole = write_config(tmp_path, "whole")
    train("--config", config, *SHORT)
    largest = (whole / "last.pt").stat().st_size
    config, cut = write_config(tmp_path, "cut")
    failed = 0
    for size in [draw.randrange(200, 20000), draw.randrange(20000, largest)] + [draw.randrange(200, largest) for _ in range(3)]:
        before = (cut / "last.pt").read_bytes() if (cut / "last.pt").exists() else None
        done = train(*going_on(config, cut), check=False, preexec_fn=limited(size))
        assert done.returncode == 1 and done.stderr.count("\n") == 1, (size, done.stderr)
        assert "cannot be written" in done.stderr, done.stderr
        assert before is None or (cut / "last.pt").read_bytes() == before
        assert not list(cut.glob("*.tmp"))
        if draw.random() < 0.5:  # some space is found, but not for long
            process = started(going_on(config, cut))
            time.sleep(draw.uniform(0, 1))
            killed(process)
            if finished(cut):
                break
    train(*going_on(config, cut))
    assert_same_end(cut, whole)


def bound_by_permissions():
    """Root may write everywhere unless the process it becomes is not allowed to overrule permissions."""
    PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE, 0, 0, 0)


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    config, folder = write_config(tmp_path, "run")
    (tmp_path / "runs").mkdir(mode=0o555)
    done = train("--config", config, check=False, preexec_fn=bound_by_permissions)
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and str(folder) in done.stderr, done.stderr
    (tmp_path / "runs").chmod(0o755)
    train("--config", config, "--set", "training.iterations=1")
    before = (folder / "last.pt").read_bytes()
    for path in (folder / "train.log", folder):
        path.chmod(path.stat().st_mode & ~0o222)
        done = train("--config", config, "--resume", folder, "--set", "training.iterations=2", check=False,
                     preexec_fn=bound_by_permissions)
        path.chmod(path.stat().st_mode | 0o200)
        assert done.returncode == 2 and done.stderr.count("\n") == 1 and str(folder) in done.stderr, done.stderr
    assert (folder / "last.pt").read_bytes() == before


def refused(config, folder, *settings):
    """The one line of a resume that cannot be."""
    before = (folder / "last.pt").read_bytes()
    done = train("--config", config, "--resume", folder, *settings, check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, (done.returncode, done.stderr)
    assert (folder / "last.pt").read_bytes() == before
    return done.stderr


def test_an_incompatible_resume_says_what_differs_and_what_would_work(tmp_path):
    config, folder = write_config(tmp_path, "run")
    train("--config", config, "--set", "training.iterations=1")
    for setting in ("model.hidden=32", "environment.players=4", "training.seed=9", "training.horizon=20", "training.decoder=plain"):
        line = refused(config, folder, "--set", "training.iterations=2", "--set", setting)
        key, value = setting.split("=")
        assert key in line and value in line and "without --resume" in line, line

    text = (folder / "config.yaml").read_text()
    (folder / "config.yaml").write_text(text.replace("hidden: 16", "hidden: 32"))
    line = refused(config, folder, "--set", "training.iterations=2")
    assert "last.pt" in line and "backbone." in line, line
    (folder / "config.yaml").write_text(text)

    whole = torch.load(folder / "last.pt", weights_only=True)
    for change, part in (({"version": 99}, "version 99"), ({"format": "another trainer"}, "training.resume_from")):
        torch.save({**whole, **change}, folder / "last.pt")
        line = refused(config, folder, "--set", "training.iterations=2")
        assert part in line, line
    torch.save(whole["model"], folder / "last.pt")
    assert "training.resume_from" in refused(config, folder, "--set", "training.iterations=2")
    (folder / "last.pt").write_bytes((folder / "last.pt").read_bytes()[:1000])
    assert "last.pt" in refused(config, folder, "--set", "training.iterations=2")

"""Runs that die: killed at any moment, on a full disk, in a folder that cannot be written. What was saved is never lost, and a
run that goes on ends bit for bit as one that was never interrupted."""
import shutil
import signal
import subprocess
import time

import pytest

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


@pytest.mark.parametrize("opponent", ["self", "starter"])
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

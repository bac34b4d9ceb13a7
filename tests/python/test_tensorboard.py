"""The event files of a run as TensorBoard's own reader sees them: the numbers of metrics.json, also after a kill and a resume."""
import signal
import struct
import subprocess
import time

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from training_runs import BIN, fresh_draws, rows, train, write_config


def scalars(folder):
    """{metric: [(step, value)]} of what does not depend on the clock."""
    events = EventAccumulator(str(folder), size_guidance={"scalars": 0}).Reload()
    return {tag.split("/")[1]: [(e.step, e.value) for e in events.Scalars(tag)]
            for tag in events.Tags()["scalars"] if not tag.startswith("speed/")}


def expected(folder):
    as_float32 = lambda x: struct.unpack("f", struct.pack("f", x))[0]
    table = {}
    for row in rows(folder):
        for name, value in row.items():
            if name != "iteration" and value is not None:
                table.setdefault(name, []).append((row["iteration"], as_float32(value)))
    return table


def test_event_files_hold_the_metrics(tmp_path):
    config, folder = write_config(tmp_path, "run")
    begin = time.time()
    train("--config", config)
    assert scalars(folder) == expected(folder)
    events = EventAccumulator(str(folder)).Reload()
    assert {tag.split("/")[0] for tag in events.Tags()["scalars"]} == {"rollout", "update", "evaluation", "speed"}
    times = [e.wall_time for e in events.Scalars("update/entropy")]
    assert times == sorted(times) and begin <= times[0] and times[-1] <= time.time()
    assert events.FirstEventTimestamp() >= begin - 1


def test_a_setting_turns_them_off(tmp_path):
    config, folder = write_config(tmp_path, "run")
    train("--config", config, "--set", "output.tensorboard=false", "--set", "training.iterations=1")
    assert not list(folder.glob("*tfevents*"))


def test_rows_past_the_checkpoint_are_forgotten(tmp_path):
    """Saved every fourth iteration: a kill in between leaves rows whose iterations are done anew."""
    draw = fresh_draws()
    settings = ["--set", "training.iterations=12", "--set", "output.save_every=4", "--set", "training.horizon=16"]
    config, folder = write_config(tmp_path, "run")
    process = subprocess.Popen([str(BIN), "--config", str(config), *settings], stdout=subprocess.DEVNULL)
    wanted = draw.choice([2, 5, 6, 7, 9])  # rows on the disk when it dies
    while process.poll() is None and len(lines(folder)) < wanted:
        time.sleep(0.002)
    process.send_signal(signal.SIGKILL)
    process.wait()
    print(f"killed with {len(lines(folder))} rows")
    for extra in (["--set", "training.iterations=12"], ["--set", "training.iterations=14"]):  # the second one after the end
        train("--config", config, *settings, *extra, "--resume", folder if (folder / "last.pt").exists() else "auto")
        assert scalars(folder) == expected(folder)
    names = sorted(path.name for path in folder.glob("*tfevents*"))
    assert len(names) == 3


def lines(folder):
    path = folder / "metrics.json"
    return path.read_text().splitlines() if path.exists() else []

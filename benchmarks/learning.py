#!/usr/bin/env python3
"""Does the default config learn? Trains several seeds for a fixed time from random weights, then plays the result.

    python benchmarks/learning.py [--minutes 15] [--seeds 1,2,3] [--jobs 1] [--games 200] [--out FOLDER]

--jobs seeds run at a time. Each run ends by SIGTERM after the given minutes, or with its last iteration; its newest weights
(last.pt) then play greedily on boards of a seed range that training never draws, every board from both seats. Processor time is
reported beside, since runs side by side share the cores. Writes learning.json and learning.svg. Only the standard library is
needed.
"""
import argparse
import json
import os
import signal
import subprocess
import time
from pathlib import Path

from learning_runs import BIN, COLOURS, ROOT, Panel, start, svg, write


def train(config, folder, seeds, minutes, settings):
    """Processor minutes by seed; all seeds run side by side."""
    deadline = time.monotonic() + 60 * minutes
    running, spent = {seed: start(config, folder, seed, settings) for seed in seeds}, {}
    while running:
        for seed, process in list(running.items()):
            if time.monotonic() > deadline:
                process.send_signal(signal.SIGTERM)
            pid, status, usage = os.wait4(process.pid, 0 if time.monotonic() > deadline else os.WNOHANG)
            if pid:
                if status:
                    raise SystemExit(f"training of seed {seed} ended with {os.waitstatus_to_exitcode(status)}")
                spent[seed] = (usage.ru_utime + usage.ru_stime) / 60
                del running[seed]
        time.sleep(1)
    return spent


def play(run, games):
    done = subprocess.run([BIN / "orbit_eval", "--config", run / "config.yaml", "--weights", run / "last.pt", "--games", str(games),
                           "--opponents", "random,starter", "--json", "-"], capture_output=True, text=True, check=True)
    return {row["opponent"]: row for row in map(json.loads, done.stdout.splitlines())}


def curves(run):
    """(minutes, win rate by opponent) of the evaluations during training."""
    elapsed, points = 0.0, []
    for line in (run / "metrics.json").read_text().splitlines():
        row = json.loads(line)
        elapsed += row["time_iteration"]
        if "win_rate_starter" in row:
            points.append((elapsed / 60, row["win_rate_random"], row["win_rate_starter"]))
    return points


def drawn(runs, minutes):
    """Win rate against the minutes of training, one colour a seed; dashed: random, solid: starter."""
    panel = Panel(56, 28, 568, 248, minutes, [k / 5 for k in range(6)], y_text="{:.0%}".format,
                  x_label="minutes of training, evaluations included",
                  title="Win rate of the greedy policy: solid against starter, dashed against random")
    for colour, (seed, points) in zip(COLOURS, runs.items()):
        for column, dash in ((1, "5 4"), (2, "none")):
            panel.line([(p[0], p[column]) for p in points], colour, f"seed {seed}", dash=dash)
    return svg(640, 320, [panel])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--config", default=ROOT / "configs" / "ppo.yaml")
    parser.add_argument("--minutes", type=float, default=15)
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--jobs", type=int, default=1, help="seeds that train at a time")
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--set", action="append", default=[], help="setting of the config, key.path=value")
    parser.add_argument("--out", default=f"runs/learning-{time.strftime('%Y%m%d-%H%M%S')}")
    arguments = parser.parse_args()
    out = Path(arguments.out)
    results, seen = [], {}
    seeds, spent = [int(seed) for seed in arguments.seeds.split(",")], {}
    for k in range(0, len(seeds), arguments.jobs):
        spent |= train(arguments.config, out, seeds[k:k + arguments.jobs], arguments.minutes, arguments.set)
    for seed in seeds:
        run = out / f"seed-{seed}"
        scores = play(run, arguments.games)
        seen[seed] = curves(run)
        results.append({"seed": seed, "minutes": arguments.minutes, "processor_minutes": round(spent[seed], 1), **scores})
        print(f"seed {seed}: {spent[seed]:.1f} processor minutes")
        for opponent, row in scores.items():
            low, high = row["interval"]
            print(f"  against {opponent}: {row['won']} of {row['games']} won, {100 * row['win_rate']:.1f}% "
                  f"(95% interval {100 * low:.1f} to {100 * high:.1f}%)", flush=True)
    write(out / "learning.json", json.dumps(results, indent=1) + "\n")
    write(out / "learning.svg", drawn(seen, arguments.minutes))
    print(f"figures in {out}/learning.json, curves in {out}/learning.svg")


if __name__ == "__main__":
    main()

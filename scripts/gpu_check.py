#!/usr/bin/env python3
"""The checks of gpu_check.sh, which sets the paths and is what you start. Each is a function; CHECKS lists them in order."""
import argparse
import gzip
import itertools
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
PACKED = (HERE / "bin").is_dir()
BUILD = HERE if PACKED else Path(os.environ.get("ORBIT_BUILD_DIR", HERE.parent / "build"))
DATA = HERE / "traces" if PACKED else HERE.parent / "tests" / "data" / "traces"
CONFIG = (HERE if PACKED else HERE.parent) / "configs" / "ppo.yaml"
os.environ.setdefault("ORBIT_OPS_LIBRARY", str(BUILD / "lib" / "liborbit_ops.so"))
sys.path.insert(0, str((HERE if PACKED else HERE.parent) / "python"))

from orbit_train import OrbitWarsVectorEnv, ops  # noqa: E402

# Single results of sine, cosine, pow and log differ between the two in the last bits; both sides start each turn equal.
POSITION_TOLERANCE = 1e-9
FEATURE_TOLERANCE = 1e-5  # float32 columns computed in double
SMALL_ENV_TOLERANCE = 1e-5  # microduck multiplies the last bits of sine and cosine in its reset by 1e4 rad/s^2
TRACES = ("light-2p-a", "light-4p-a", "comet-2p-a", "greedy-2p-b")


class Failed(Exception):
    pass


def difference(name, cpu, other, tolerance):
    """Greatest difference of two tensors; integers and flags must be equal."""
    other = other.cpu()
    if not cpu.is_floating_point():
        if not torch.equal(cpu, other):
            at = (cpu != other).nonzero()[0].tolist()
            raise Failed(f"{name}{at}: {cpu[tuple(at)].item()} on the CPU, {other[tuple(at)].item()} on the device")
        return 0.0
    gap = (cpu.double() - other.double()).abs().max().item() if cpu.numel() else 0.0
    if not gap <= tolerance:
        raise Failed(f"{name}: differs by {gap:.3g}, more than {tolerance:g}")
    return gap


def states_differ(cpu, other):
    return max(difference(name, a, b, POSITION_TOLERANCE) for name, a, b in zip(ops.state_names(), cpu, other, strict=True))


def copy_into(to, values):
    for a, b in zip(to, values, strict=True):
        a.copy_(b)


def random_action(draw, rows):
    target = torch.randint(37, (rows, 36), generator=draw)
    idle = torch.rand((rows, 36), generator=draw) > 0.3
    return {"target": target.masked_fill(idle, 36), "x": torch.rand((rows, 36), generator=draw) * 5}


def check_play(device, quick):
    """Random play through every operator on both sides, step by step from equal states."""
    seed, worst, steps = random.SystemRandom().randrange(2**31), 0.0, 0
    for players in (2, 4):
        for opponent, decoder in (("self", "plain"), ("starter", "strict"), ("random", "plain")):
            draw = torch.Generator().manual_seed(seed)
            games = 8 if quick else 64
            rows = games * (players if opponent == "self" else 1)
            both = [OrbitWarsVectorEnv(rows, opponent=opponent, players=players, decoder=decoder, boards=32, time_limit=90,
                                       shaping_coef=0.1, device=d) for d in ("cpu", device)]
            first = [env.reset(seed=seed)[0] for env in both]
            worst = max(worst, *(difference(n, first[0][n], first[1][n], FEATURE_TOLERANCE) for n in first[0]))
            for _ in range(20 if quick else 200):
                copy_into(both[1].state, both[0].state)
                action = random_action(draw, rows)
                a, b = (env.step(action) for env in both)
                worst = max(worst, states_differ(both[0].state, both[1].state))
                for name in a[0]:
                    difference(f"observation {name} (seed {seed})", a[0][name], b[0][name], FEATURE_TOLERANCE)
                for i, name in ((1, "reward"), (2, "terminated"), (3, "truncated")):
                    difference(f"{name} (seed {seed})", a[i], b[i], FEATURE_TOLERANCE)
                steps += games
    return f"{steps} steps, greatest difference of a state {worst:.1e}, seed {seed}"


def check_small_envs(device, quick):
    """Small environments in float and double, random actions, step by step from equal states; flags and counters are equal."""
    seed, worst, steps = random.SystemRandom().randrange(2**31), 0.0, 0
    draw = torch.Generator().manual_seed(seed)
    for name in ops.env_names():
        about = json.loads(ops.env_description(name))
        low, high = (torch.tensor(about[f"action_{end}"]) for end in ("low", "high"))
        for in_double in (False, True):
            cpu = ops.make_env_batch(name, 100 if quick else 1000, in_double)
            other = [t.to(device, copy=True) for t in cpu]
            for batch in (cpu, other):
                ops.env_reset_(name, batch, seed)
            for _ in range(60 if quick else 600):
                copy_into(other, cpu)
                share = torch.rand((len(cpu[2]), about["action_size"]), generator=draw)
                whole = about["action_kind"] != "continuous"
                action = (share * (high + 1)).long().clamp(max=high.long()) if whole else low + share * (high - low)
                ops.env_step_(name, cpu, action, seed)
                ops.env_step_(name, other, action.to(device), seed)
                for field, a, b in zip(ops.env_batch_names(), cpu, other, strict=True):
                    worst = max(worst, difference(f"{name}: {field} (seed {seed})", a, b, SMALL_ENV_TOLERANCE))
                steps += len(cpu[2])
    return f"{steps} steps of {len(ops.env_names())} environments, greatest difference {worst:.1e}, seed {seed}"


def read_trace(name):
    with gzip.open(DATA / f"{name}.jsonl.gz", "rt") as file:
        head, *turns = map(json.loads, file)
    return head, turns


def orders(turn, seats, device):
    lists = [moves or [] for moves in turn["a"]] + [[]] * (seats - len(turn["a"]))
    room = max(1, *map(len, lists))
    count = torch.tensor([[len(moves) for moves in lists]], dtype=torch.int32)
    padded = [[moves[k] if k < len(moves) else [0, 0.0, 0] for k in range(room)] for moves in lists]
    planet = torch.tensor([[[m[0] for m in row] for row in padded]], dtype=torch.int32)
    angle = torch.tensor([[[m[1] for m in row] for row in padded]], dtype=torch.float64)
    ships = torch.tensor([[[m[2] for m in row] for row in padded]], dtype=torch.int32)
    return [t.to(device) for t in (count, planet, ships, angle)]


def check_traces(device, quick):
    """Recorded official games on the device, from the first state to the last: every owner, ship count and fleet."""
    turns_played = 0
    for name in TRACES[:2] if quick else TRACES:
        head, turns = read_trace(name)
        seats = head["players"]
        bank = [t.to(device) for t in ops.make_boards([str(head["seed"])])]
        state = ops.make_state(1, 2048, device=device)
        by_name = dict(zip(ops.state_names(), state, strict=True))
        zero = torch.zeros(1, dtype=torch.int32, device=device)
        ops.reset_(state, bank, torch.ones(1, dtype=torch.bool, device=device), zero, seats)
        for turn in turns[:40] if quick else turns:
            ops.step_(state, bank, *orders(turn, seats, device), seats, 500, 6.0, 1)
            planets = torch.stack([by_name[f"planet_{f}"][0] for f in ("id", "owner", "ships")], 1).tolist()[:len(turn["p"])]
            fleets = by_name["fleet_id"][0][:len(turn["f"])].tolist()
            if planets != [list(p) for p in turn["p"]] or fleets != turn["f"]:
                raise Failed(f"{name}: state {turn['t']} is not the recorded one")
            turns_played += 1
    return f"{turns_played} recorded turns equal in every discrete field"


def check_advantages(device, quick):
    """gae_ on random rollouts with terminations and truncations."""
    draw = torch.Generator().manual_seed(random.SystemRandom().randrange(2**31))
    shape = (64, 33) if quick else (500, 257)
    reals = [torch.randn(shape, generator=draw) for _ in range(3)]
    flags = [torch.rand(shape, generator=draw) < 0.05 for _ in range(2)]
    results = []
    for d in ("cpu", device):
        out = [torch.zeros(shape, device=d) for _ in range(2)]
        ops.gae_(*(t.to(d) for t in (*reals, *flags)), 0.99, 0.95, *out)
        results.append(out)
    gap = max(difference(n, a, b, 1e-4) for n, a, b in zip(("advantage", "return"), *results, strict=True))
    return f"greatest difference {gap:.1e}"


def check_schedules(device, quick):
    """schedule_, straight and cosine, before, within and after its steps, with and without a scale."""
    gap = 0.0
    for steps, cosine, done, scale in itertools.product((0, 1, 1000), (False, True), (0, 1, 333, 1000, 5000), (None, 0.5)):
        results = []
        for d in ("cpu", device):
            results.append(torch.zeros((), device=d))
            factor = None if scale is None else torch.tensor(scale, device=d)
            ops.schedule_(torch.tensor(float(done), device=d), 3e-4, 1e-5, steps, cosine, factor, results[-1])
        gap = max(gap, difference(f"step {done} of {steps}", *results, 1e-9))
    return f"greatest difference {gap:.1e}"


def check_training(device, quick):
    """orbit_train for some iterations: ends well, metrics are finite, and equal seeds give equal weights."""
    with tempfile.TemporaryDirectory() as folder:
        weights = []
        for name in ("a", "b"):
            command = [str(BUILD / "bin" / "orbit_train"), "--config", str(CONFIG), "--device", device, "--set",
                       f"output.run_dir={folder}", "--set", f"output.run_name={name}", "--set", "training.iterations=3", "--set",
                       f"training.horizon={20 if quick else 200}", "--set", "evaluation.every=0", "--set", "environment.board_bank_size=64"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                raise Failed(f"orbit_train ended with {done.returncode}: {(done.stderr or done.stdout).strip().splitlines()[-1]}")
            rows = [json.loads(line) for line in (Path(folder) / name / "metrics.json").read_text().splitlines()]
            weights.append(torch.load(Path(folder) / name / "best.pt", map_location="cpu", weights_only=True))
        numbers = [v for row in rows for v in row.values() if isinstance(v, float)]
        if not all(abs(v) < float("inf") for v in numbers):
            raise Failed("metrics.json holds a number that is not finite")
        for key, value in weights[0].items():
            difference(f"weights {key} of two equal runs", value, weights[1][key], 0.0)
        return f"3 iterations twice, equal weights; {rows[-1].get('update_per_second', 0):.0f} samples/s +update"


def check_capture(device, quick):
    """Rollout step and minibatch update captured and replayed against the same run operator by operator."""
    with tempfile.TemporaryDirectory() as folder:
        rows, launches = {}, []
        horizon = 8 if quick else 50
        for capture in ("true", "false"):
            settings = {"output.run_dir": folder, "output.run_name": capture, "device.capture": capture, "evaluation.every": 0,
                        "training.iterations": 2 if quick else 20, "training.horizon": horizon, "training.target_kl": "null",
                        "training.episodes_per_iter": 4 if quick else 32, "training.minibatch_size": 16 if quick else 256,
                        "environment.board_bank_size": 16}
            command = [str(BUILD / "bin" / "orbit_train"), "--config", str(CONFIG), "--device", device]
            done = subprocess.run(command + [word for k, v in settings.items() for word in ("--set", f"{k}={v}")],
                                  capture_output=True, text=True, check=False)
            if done.returncode or "cannot be captured" in done.stdout:
                said = [line for line in (done.stderr + done.stdout).splitlines() if "captured" in line] or [done.stderr.strip()]
                raise Failed(said[0])
            launches += [line.removeprefix("the ") for line in done.stdout.splitlines() if " in one launch" in line]
            rows[capture] = [json.loads(line) for line in (Path(folder) / capture / "metrics.json").read_text().splitlines()]
        for ours, theirs in zip(rows["true"], rows["false"], strict=True):
            for key, value in ours.items():
                if not key.startswith("time_") and not key.endswith("_per_second"):
                    gap = abs(value - theirs[key]) / max(1.0, abs(theirs[key]))
                    if not gap <= 1e-6:
                        raise Failed(f"iteration {ours['iteration']}: {key} is {value} captured and {theirs[key]} operator by operator")
        last = {kind: row[-1] for kind, row in rows.items()}
        said = list(dict.fromkeys(launches))
        said += [f"launches of an iteration: {horizon + 1 + last['true']['updates']:.0f} and those between the stages"]
        for kind, how in (("true", "captured"), ("false", "operator by operator")):
            row = last[kind]
            said += [f"{how}: host {row['time_launch'] / horizon * 1e6:.0f} us a rollout step, rollout {row['time_inference']:.3f} s, "
                     f"update {row['time_update']:.3f} s"]
        return "; ".join(said)


def check_memory(device, quick):
    """compute-sanitizer over a short play: no access out of bounds, no leak of a race."""
    tool = next((p for p in (HERE / "sanitizer" / "compute-sanitizer", Path("/usr/local/cuda/bin/compute-sanitizer")) if p.is_file()), None)
    if tool is None or device == "cpu":
        return "skipped: " + ("a dry run" if device == "cpu" else "no compute-sanitizer here")
    for kind in ("memcheck", "racecheck"):
        done = subprocess.run([str(tool), "--tool", kind, "--error-exitcode", "9", sys.executable, __file__, "--device", device, "--quick",
                               "--only", "play"], capture_output=True, text=True, check=False, timeout=150)
        if done.returncode:
            raise Failed(f"{kind}: " + " | ".join(line for line in done.stdout.splitlines() if "=========" in line)[:400])
    return "memcheck and racecheck find nothing"


def check_throughput(device, quick):
    """Steps a second of the game alone, and with aim, decode, features and rewards, over the number of games."""
    said = []
    for games in (64,) if quick else (256, 1024, 4096, 16384):
        env = OrbitWarsVectorEnv(games, opponent="starter", boards=64, device=device)
        env.reset(seed=0)
        action = random_action(torch.Generator().manual_seed(0), games)
        for _ in range(5 if quick else 60):
            env.step(action)  # fleets in flight
        idle = [torch.zeros_like(t) for t in env._moves]
        rates = []
        for one in (lambda: ops.step_(env.state, env.bank, *idle, 2, 500, 6.0, 1), lambda: env.step(action)):
            synchronize(device)
            start, count = time.perf_counter(), 0
            while count < 3 or time.perf_counter() - start < 0.5:
                one()
                count += 1
                synchronize(device)
            rates.append(games * count / (time.perf_counter() - start))
        said.append(f"{games}: {rates[0] / 1e6:.2f} M, {rates[1] / 1e6:.3f} M")
    return "games: step, whole environment a second; " + "; ".join(said)


def synchronize(device):
    if device != "cpu":
        torch.cuda.synchronize()


CHECKS = {"play": check_play, "small_envs": check_small_envs, "traces": check_traces, "advantages": check_advantages,
          "schedules": check_schedules, "training": check_training, "capture": check_capture, "memory": check_memory,
          "throughput": check_throughput}


def main():
    parser = argparse.ArgumentParser(prog="gpu_check.sh", description="Every check that needs a GPU; one line a check, a table last.")
    parser.add_argument("--device", choices=("cuda", "cpu"), default="cuda", help="cpu: a dry run, which proves nothing about a GPU")
    parser.add_argument("--only", help=f"some of {', '.join(CHECKS)}, separated by commas")
    parser.add_argument("--quick", action="store_true", help="seconds instead of minutes")
    parser.add_argument("--json", type=Path, help="also write one JSON object a check")
    arguments = parser.parse_args()
    chosen = arguments.only.split(",") if arguments.only else list(CHECKS)
    if unknown := set(chosen) - set(CHECKS):
        parser.error(f"unknown check {', '.join(sorted(unknown))}; there are {', '.join(CHECKS)}")
    if arguments.device == "cuda" and not torch.cuda.is_available():
        print("gpu_check.sh: no GPU here; --device cpu is a dry run", file=sys.stderr)
        return 2
    where = torch.cuda.get_device_name() if arguments.device == "cuda" else "CPU (dry run)"
    print(f"gpu_check: {where}, torch {torch.__version__}", flush=True)

    rows = []
    for name in chosen:
        start = time.perf_counter()
        try:
            verdict, said = "passed", CHECKS[name](arguments.device, arguments.quick)
        except Failed as failure:
            verdict, said = "FAILED", str(failure)
        except Exception as error:  # one broken check must not hide the others
            verdict, said = "FAILED", f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}"
        rows.append({"check": name, "verdict": verdict, "seconds": round(time.perf_counter() - start, 1), "result": said, "device": where})
        print(f"{name}: {verdict}: {said}", flush=True)
    print(f"\n{'check':12} {'verdict':8} {'seconds':>8}  result")
    for row in rows:
        print(f"{row['check']:12} {row['verdict']:8} {row['seconds']:8.1f}  {row['result']}")
    if arguments.json:
        arguments.json.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return int(any(row["verdict"] == "FAILED" for row in rows))


if __name__ == "__main__":
    sys.exit(main())

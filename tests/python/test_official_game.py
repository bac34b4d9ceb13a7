"""Fresh games of the official environment, held against ours by orbit_parity env: 2 and 4 players, idle to heavy play, unlawful
moves. Seeds are new on every run and printed; ORBIT_TEST_SEED=N repeats a run, ORBIT_FULL_TESTS=1 plays more of them."""
import gzip
import importlib.util
import json
import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PARITY = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build")) / "bin" / "orbit_parity"
FULL = bool(os.environ.get("ORBIT_FULL_TESTS"))
POLICIES = ["noop", "light", "heavy", "chaos", "greedy", "comet"]

sys.path.insert(0, str(ROOT / "tests" / "data"))
pytestmark = pytest.mark.skipif(importlib.util.find_spec("kaggle_environments") is None,
                                reason="needs pip install --no-deps kaggle-environments==1.33.2")


@pytest.fixture(scope="module")
def rng():
    seed = int(os.environ.get("ORBIT_TEST_SEED") or random.SystemRandom().randrange(2**32))
    print(f"repeat with ORBIT_TEST_SEED={seed}")
    return random.Random(seed)


def parity(*files):
    """Exit code, and the JSON rows of the games that were compared."""
    command = [PARITY, "env", "--json", "-", "--trace", *map(str, files)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return result.returncode, [json.loads(line) for line in result.stdout.splitlines()], result.stderr


def any_seed(rng):
    """Seeds as people and the platform give them, negative and huge ones among them."""
    return rng.choice([rng.randrange(2**31), rng.randrange(1000), -rng.randrange(1, 2**40), rng.randrange(2**64, 2**90)])


def play(rng, players, policy, config=None, max_ticks=None):
    import oracle

    return oracle.run_episode(players, any_seed(rng), policy, rng.randrange(10**9), config=config, max_ticks=max_ticks)


@pytest.mark.parametrize("players", [2, 4])
def test_fresh_games(rng, players, tmp_path):
    import oracle

    deadline = time.monotonic() + (300 if FULL else 18)
    files = []
    # Every policy once, mixed ones after them, while there is time.
    rounds = POLICIES + ["+".join(rng.choice(POLICIES) for _ in range(players)) for _ in range(400 if FULL else 2)]
    for i, policy in enumerate(rounds):
        if files and time.monotonic() > deadline:
            break
        ticks = 70 if "heavy" in policy and not FULL else 170 if i % 2 else None
        files.append(tmp_path / f"{i}-{policy}.jsonl.gz")
        oracle.dump(play(rng, players, policy, max_ticks=ticks), str(files[-1]))
    code, rows, error = parity(*files)
    print(f"{len(rows)} games, {sum(r['steps'] for r in rows)} states, {sum(r['bit_equal'] for r in rows)} bit-equal")
    assert (code, error) == (0, ""), rows
    assert len(rows) == len(files) >= 3
    assert all(r["ok"] and r["steps"] > 1 for r in rows)


def test_other_configurations(rng, tmp_path):
    import oracle

    files = []
    for config in ({"shipSpeed": 10.0}, {"cometSpeed": 7.5, "episodeSteps": 90}, {"shipSpeed": 0.5, "cometSpeed": 3.0}):
        files.append(tmp_path / f"{len(files)}.jsonl")
        game = play(rng, rng.choice([2, 4]), "light+chaos", dict(oracle.DEFAULT_CONFIG, **config), max_ticks=110)
        oracle.dump(game, str(files[-1]))
    code, rows, error = parity(*files)
    assert (code, error) == (0, ""), rows


def test_a_changed_trace_is_reported(rng, tmp_path):
    lines = play(rng, 2, "light", max_ticks=60)
    tick = rng.randrange(1, len(lines))
    row = rng.choice(lines[tick]["p"])
    row[2] += 1
    path = tmp_path / "changed.jsonl.gz"
    with gzip.open(path, "wt") as f:
        f.writelines(json.dumps(line) + "\n" for line in lines)
    code, rows, error = parity(path)
    assert (code, error) == (1, "")
    assert rows[0]["mismatches"] == 1 and not rows[0]["ok"]
    first = rows[0]["first"]
    assert first["step"] == tick and first["field"].endswith("ships")
    assert (int(first["expected"]), int(first["found"])) == (row[2], row[2] - 1)


def test_another_seed_is_another_game(rng, tmp_path):
    import oracle

    lines = play(rng, 4, "noop", max_ticks=3)
    lines[0]["seed"] += 1
    path = tmp_path / "seed.jsonl"
    oracle.dump(lines, str(path))
    code, rows, _ = parity(path)
    assert code == 1 and rows[0]["first"]["step"] == 0


def test_bad_files_end_with_2_and_one_line(rng, tmp_path):
    import oracle

    path = tmp_path / "game.jsonl"
    oracle.dump(play(rng, 2, "light", max_ticks=5), str(path))
    text = path.read_text()
    damages = {"cut": text[:-40], "empty": ""}
    damages |= {"text": text.replace('"n":', '"n":"x","o":'), "nan": text.replace('"n":', '"n":NaN,"o":')}
    for name, damage in damages.items():
        bad = tmp_path / name
        bad.write_text(damage)
        code, rows, error = parity(bad)
        assert code == 2 and rows == [] and error.count("\n") == 1 and str(bad) in error, (name, error)
    for arguments in ([], ["env"], ["env", "--trace", "/nonexistent"], ["nothing"], ["env", "--what"]):
        result = subprocess.run([PARITY, *arguments], capture_output=True, text=True)
        assert result.returncode == 2 and result.stdout == "" and result.stderr.count("\n") == 1, arguments
    for arguments in (["--help"], ["--version"], ["env", "--help"]):
        result = subprocess.run([PARITY, *arguments], capture_output=True, text=True)
        assert result.returncode == 0 and result.stderr == "" and "orbit_parity" in result.stdout, arguments

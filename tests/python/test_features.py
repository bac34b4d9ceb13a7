"""Features, aim and decoders on fresh boards: the plain implementations of the spec write the figures, ours must meet them."""
import json
import subprocess

import pytest
from orbit_ops import BUILD, fresh_random, official_oracle

official_oracle()  # skips all of this where the official game is not installed
import feature_boards as fb  # noqa: E402


@pytest.fixture(scope="module")
def checked(tmp_path_factory):
    """Folder of fresh figures and what the boards held."""
    rng, folder = fresh_random(), tmp_path_factory.mktemp("features")
    boards = [("official", obs, history) for obs, history in fb.official_boards(rng, games=8, per_game=14)]
    for _, obs, _ in rng.sample(boards, 90):
        altered = json.loads(json.dumps(obs))
        fb.alter(rng, altered)
        boards.append(("altered", altered, fb.made_up_history(rng, altered)))
    fb.write_cases(folder / "cases.npz", boards)
    reasons = fb.write_moves(folder / "moves.npz", boards, [fb.random_action(rng, obs) for _, obs, _ in boards])
    answered = fb.write_aims(folder / "aim.npz", rng, boards, per_board=12)
    return {"boards": boards, "reasons": reasons, "answered": answered, "folder": folder}


def test_boards_are_worth_the_check(checked):
    """Otherwise the next test could not fail."""
    assert len(checked["boards"]) > 150
    assert 0.3 < checked["answered"] < 0.95
    for why in ("launched", "not needed", "no aim", "target unsure", "self"):
        assert checked["reasons"].get(why, 0) > 0, (why, checked["reasons"])


def test_ours_meets_the_plain_implementations(checked):
    run = subprocess.run([BUILD / "bin" / "orbit_parity", "features", "--data", checked["folder"], "--json", "-"], capture_output=True, text=True)
    assert run.returncode == 0, run.stdout + run.stderr
    rows = [json.loads(line) for line in run.stdout.splitlines()]
    assert all(r["ok"] for r in rows)
    assert {"planets", "globals", "aim.angle", "decode.bearing.ships", "decode.strict.ships"} <= {r["name"] for r in rows}

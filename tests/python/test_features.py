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
    return fb.write_all(tmp_path_factory.mktemp("features"), fresh_random())


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

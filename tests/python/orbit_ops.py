"""Our operators under torch.ops.orbit, and the official game beside them."""
import importlib.util
import os
import random
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests" / "data"))
BUILD = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build"))

torch.ops.load_library(str(BUILD / "lib" / "liborbit_ops.so"))
ops = torch.ops.orbit


def bank(tensors):
    """The list of tensors of a board bank by name."""
    names = ["omega", "wave_step", "wave_ships", "path_length", "path_x", "path_y", "planet_count", "home", "planet_ships",
             "planet_production", "planet_x", "planet_y"]
    return dict(zip(names, tensors, strict=True))


def official_oracle():
    """tests/data/oracle.py, which drives the official package; skips the test where that is not installed."""
    if importlib.util.find_spec("kaggle_environments") is None:
        pytest.skip("needs pip install --no-deps kaggle-environments==1.33.2")
    import oracle

    return oracle


def fresh_random():
    """A new random stream on every run, its seed printed; ORBIT_TEST_SEED=N repeats a run."""
    seed = int(os.environ.get("ORBIT_TEST_SEED") or random.SystemRandom().randrange(2**32))
    print(f"repeat with ORBIT_TEST_SEED={seed}")
    return random.Random(seed)

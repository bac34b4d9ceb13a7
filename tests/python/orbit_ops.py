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
    return dict(zip(ops.bank_names(), tensors, strict=True))


def make_moves(games, seats, orders):
    """count (N, S); planet ids, ships, angles (N, S, K)."""
    shape = (games, seats, orders)
    return [torch.zeros(shape[:2], dtype=torch.int32), torch.zeros(shape, dtype=torch.int32),
            torch.zeros(shape, dtype=torch.int32), torch.zeros(shape, dtype=torch.float64)]


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

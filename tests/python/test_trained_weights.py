"""weights/: what its README says of the policy, and the lines of Python that load it."""
import json
import re
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "weights/README.md").read_text()


def test_the_lines_of_the_readme_load_it(monkeypatch):
    lines = re.search(r"In Python, from the repository's root:\n\n((?:    .*\n)+)", README).group(1)
    assert 1 < len(lines.splitlines()) <= 10
    monkeypatch.chdir(ROOT)
    names = {}
    exec("\n".join(line[4:] for line in lines.splitlines()), names)
    policy = names["policy"]
    tensors = policy.state_dict()
    numbers = sum(tensor.numel() for tensor in tensors.values())
    assert f"{numbers:,} parameters in {len(tensors)} tensors" in README
    with torch.no_grad():
        logits, _, value, _ = policy(torch.zeros(1, 36, 41), torch.zeros(1, 20), torch.ones(1, 36, dtype=torch.bool))
    assert torch.isfinite(logits).all() and torch.isfinite(value).all()


def test_metrics():
    rows = [json.loads(line) for line in (ROOT / "weights/orbit_small.metrics.json").read_text().splitlines()]
    assert f"in {len(rows)} iterations" in README

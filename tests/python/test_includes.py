"""The include table holds, and it would notice: every kind of breach is planted once."""
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def check(folder):
    done = subprocess.run([sys.executable, ROOT / "scripts/check_includes.py", folder], capture_output=True, text=True)
    return done.returncode, done.stdout


def test_the_tree_keeps_to_the_table():
    code, out = check(ROOT)
    assert code == 0, out


@pytest.mark.parametrize(
    "name, line",
    [
        ("envs/a.h", "#include <ATen/core/Tensor.h>"),
        ("envs/a.h", '#include "extensions/checks.h"'),
        ("envs/a.h", "#include <yaml-cpp/yaml.h>"),
        ("envs/a.h", "#include <immintrin.h>"),
        ("envs/a.h", "  int lane = __shfl_sync(0xffffffffu, x, 0);"),
        ("envs/a.h", "__device__ void f();"),
        ("extensions/a.cpp", '#include "src/trainer.h"'),
        ("extensions/a.cpp", "#include <ATen/ATen.h>"),
        ("extensions/a.cpp", "#include <torch/nn.h>"),
        ("extensions/a.cu", "#include <c10/cuda/CUDAStream.h>"),
        ("src/a.cpp", "#include <torch/all.h>"),
        ("src/a.h", "#include <torch/extension.h>"),
    ],
)
def test_a_breach_is_named(tmp_path, name, line):
    path = tmp_path / name
    path.parent.mkdir(parents=True)
    path.write_text("#include <vector>\n")
    assert check(tmp_path)[0] == 0
    path.write_text(f"#include <vector>\n{line}\n")
    code, out = check(tmp_path)
    assert code == 1 and out.startswith(f"{name}:2: "), out

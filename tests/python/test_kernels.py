"""Resources of the CUDA kernels: what the compiler gave them, under the limits that scripts/kernel_resources.py states."""
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build"))
sys.path.insert(0, str(ROOT / "scripts"))

import kernel_resources  # noqa: E402


@pytest.fixture(scope="module")
def kernels():
    cuobjdump = kernel_resources.find_cuobjdump()
    if not cuobjdump:
        pytest.skip("no cuobjdump")
    rows = kernel_resources.resources(BUILD / "lib" / "liborbit_ops.so", cuobjdump)
    if not rows:
        pytest.skip("built without CUDA")
    return {row["kernel"]: row for row in rows}


def test_every_kernel_is_under_its_limit(kernels):
    assert len(kernels) > 5
    over = [row for row in kernels.values() if kernel_resources.over_limit(row)]
    assert not over


def test_the_step_touches_no_local_memory(kernels):
    steps = [row for name, row in kernels.items() if name.startswith("StepBody")]
    assert len(steps) == 3 and all(row["stack"] == 0 for row in steps)


def test_a_limit_that_is_broken_is_reported():
    step = {"kernel": "StepBody", "registers": 72, "stack": 0}
    assert not kernel_resources.over_limit(step)
    assert kernel_resources.over_limit({**step, "stack": 8})
    assert kernel_resources.over_limit({**step, "registers": 255})


def test_names_and_occupancy():
    name = "void orbit::(anonymous namespace)::body_kernel<orbit::StepBody>(orbit::StepBody, long)"
    assert kernel_resources.short_name(name) == "StepBody"
    assert kernel_resources.short_name("orbit::(anonymous namespace)::gae_kernel(orbit::GaeInput, float*, float*)") == "gae_kernel"
    name = "void orbit::env_step_kernel<orbit::CartPole, float>(orbit::EnvBatchView, void const*)"
    assert kernel_resources.short_name(name) == "env_step_kernel<CartPole, float>"
    assert kernel_resources.warps_held(32, 0, 4) == 64  # 65,536 registers: all 64 warps
    assert kernel_resources.warps_held(72, 9472, 4) == 28  # seven blocks of 4 warps x 2,304 registers
    assert kernel_resources.warps_held(186, 40144, 1) == 5  # shared memory decides

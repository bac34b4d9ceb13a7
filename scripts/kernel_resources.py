#!/usr/bin/env python3
"""Registers, stack and shared memory of every CUDA kernel in a library, and how many warps of it one multiprocessor can hold.

    scripts/kernel_resources.py build/lib/liborbit_ops.so [--json]

The build target `kernel_resources` does the same. A stack of 0 means that nothing spills to local memory. Exit codes: 0, 1 a
kernel is over its limit (LIMITS below), 2 bad usage, no kernels in the file, or no cuobjdump (it comes with the CUDA toolkit and
with the triton package that torch installs).
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

# One multiprocessor of compute capability 9.0.
REGISTERS, SHARED_BYTES, RESERVED_SHARED, MAX_WARPS, MAX_BLOCKS = 65536, 228 * 1024, 1024, 64, 32
ONE_WARP_BLOCKS = {"ObserveBody"}  # the others have four warps a block (kWarps in extensions/game_kernels.cu)
# Most registers and bytes of stack a kernel may take; by name, "" for those not named. The step must not touch local memory. The 40
# bytes of two kernels belong to the C library's cosine of large angles, which neither asks for.
LIMITS = {"StepBody": (80, 0), "DecodeBody": (168, 0), "ObserveBody": (200, 64), "ScriptedBody": (80, 0), "action_draws_kernel": (40, 40),
          "schedule_kernel": (40, 40), "env_step_kernel<Microduck, double>": (208, 0), "": (168, 32)}


def find_cuobjdump():
    beside_torch = Path(os.environ.get("ORBIT_TORCH_DIR", "")).parent / "triton/backends/nvidia/bin/cuobjdump"
    ours = Path(__file__).resolve().parents[1].glob(".venv/lib/python3*/site-packages/triton/backends/nvidia/bin/cuobjdump")
    for candidate in (shutil.which("cuobjdump"), "/usr/local/cuda/bin/cuobjdump", beside_torch, *ours):
        if candidate and Path(candidate).is_file():
            return str(candidate)
    return None


def short_name(function):
    """body_kernel<orbit::StepBody>(...) -> StepBody; gae_kernel(...) -> gae_kernel; env_step_kernel<orbit::CartPole, float>(...)
    -> env_step_kernel<CartPole, float>."""
    inner = re.search(r"body_kernel<(?:orbit::)?(.*)>\(", function)
    if inner:
        return inner.group(1).replace("(orbit::Motion)", "").strip()  # StepBody<1>: of that motion
    return re.search(r"(\w+(<[^>]*>)?)\(", function.replace("(anonymous namespace)", "")).group(1).replace("orbit::", "")


def warps_held(registers, shared, warps_a_block):
    by_registers = REGISTERS // (-(-registers * 32 // 256) * 256) // warps_a_block
    by_shared = SHARED_BYTES // (shared + RESERVED_SHARED)
    return min(by_registers, by_shared, MAX_BLOCKS, MAX_WARPS // warps_a_block) * warps_a_block


def resources(library, cuobjdump):
    """One dict a kernel: name, registers, stack and shared bytes."""
    dump = subprocess.run([cuobjdump, "-res-usage", str(library)], capture_output=True, text=True, check=False)
    names = re.findall(r"Function (\S+):\n\s*(.*)", dump.stdout)
    readable = subprocess.run(["c++filt"], input="\n".join(n for n, _ in names), capture_output=True, text=True, check=True).stdout
    rows = []
    for function, (_, usage) in zip(readable.splitlines(), names, strict=True):
        used = {key: int(value) for key, value in re.findall(r"(REG|STACK|SHARED|LOCAL):(\d+)", usage)}
        rows.append({"kernel": short_name(function), "registers": used["REG"], "stack": used["STACK"] + used["LOCAL"],
                     "shared": used["SHARED"]})
    return sorted(rows, key=lambda row: row["kernel"])


def over_limit(row):
    name = row["kernel"]
    registers, stack = LIMITS.get(name) or LIMITS.get(name.split("<")[0], LIMITS[""])
    return row["registers"] > registers or row["stack"] > stack


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("library", type=Path)
    parser.add_argument("--json", action="store_true", help="one object a kernel, a line each")
    arguments = parser.parse_args()
    cuobjdump = find_cuobjdump()
    if not cuobjdump:
        sys.exit(print("kernel_resources.py: no cuobjdump found; it comes with the CUDA toolkit", file=sys.stderr) or 2)
    rows = resources(arguments.library, cuobjdump)
    if not rows:
        sys.exit(print(f"kernel_resources.py: {arguments.library}: no CUDA kernels in it", file=sys.stderr) or 2)
    if not arguments.json:
        print(f"{'kernel':28} {'registers':>9} {'stack':>6} {'shared':>7} {'warps held':>11}")
    for row in rows:
        held = warps_held(row["registers"], row["shared"], 1 if row["kernel"] in ONE_WARP_BLOCKS else 4)
        mark = "   over its limit" if over_limit(row) else ""
        print(json.dumps(row) if arguments.json else
              f"{row['kernel']:28} {row['registers']:9} {row['stack']:6} {row['shared']:7} {held:11}{mark}")
    return int(any(map(over_limit, rows)))


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""Checks who includes whom: src -> extensions -> envs, and never back (see README.md, "Layout").

    scripts/check_includes.py [FOLDER]     prints one line per breach, exit code 1 where there is any
"""
import re
import sys
from pathlib import Path

# layer: (layers it may include, Torch headers it may include as a pattern of the whole path)
NARROW_TORCH = r"(ATen|c10|caffe2/serialize)/(?!ATen\.h).*|torch/(library|types|custom_class|version|headeronly/.*)\.?h?"
LAYERS = {
    "envs": ({"envs"}, None),
    "extensions": ({"extensions", "envs"}, NARROW_TORCH),
    "src": ({"src", "extensions", "envs"}, r"(?!torch/(all|extension|torch)\.h).*"),
}
TORCH = re.compile(r"(torch|ATen|c10|caffe2)/")
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]')
SUFFIXES = {".h", ".cpp", ".cu", ".cuh"}

# The only files that may look at the compiler: intrinsics, attributes and CUDA built-ins.
COMPILER_FILES = {"envs/common/host_device.h", "envs/common/lanes.h"}
COMPILER_WORDS = re.compile(
    r"__host__|__device__|__forceinline__|__CUDA_ARCH__|__CUDACC__|__ballot_sync|__shfl\w*_sync|__syncwarp|__activemask|"
    r"\b_mm\d*_\w+|\b__builtin_\w+|__attribute__|#\s*pragma\s+(GCC|unroll|omp)")
COMPILER_HEADERS = re.compile(r"(\w*mmintrin|immintrin|x86intrin|arm_neon|cuda\w*|device_launch_parameters)\.h")
# What may stand in envs besides its own headers: the standard library, whose names have neither folder nor ending.
STANDARD = re.compile(r"[a-z_0-9]+")
SYSTEM_HEADERS = {"envs/common/lanes_fibers.h": {"ucontext.h"}}  # fibres, for tests on the CPU


def check_file(path, name):
    """Yields (line number, complaint) for one file; `name` is its path from the root."""
    layer = name.split("/")[0]
    may_include, torch_pattern = LAYERS[layer]
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if layer == "envs" and name not in COMPILER_FILES:
            if word := COMPILER_WORDS.search(line.split("//")[0]):
                yield number, f"{word.group(0)} belongs in {' or '.join(sorted(COMPILER_FILES))}"
        if not (match := INCLUDE.match(line)):
            continue
        header = match.group(1)
        other = header.split("/")[0]
        if other in LAYERS:
            if other not in may_include:
                yield number, f"{layer} must not include {header}: that is a layer above it"
        elif TORCH.match(header):
            if torch_pattern is None:
                yield number, f"{layer} knows nothing of Torch, but includes {header}"
            elif path.suffix in {".cu", ".cuh"}:
                yield number, f"a Torch header in a .cu file costs minutes of nvcc: {header}"
            elif not re.fullmatch(torch_pattern, header):
                yield number, f"{header} is too wide for {layer}; use narrow headers (ATen/core/Tensor.h, ATen/ops/...)"
        elif layer == "envs":
            if COMPILER_HEADERS.fullmatch(header):
                if name not in COMPILER_FILES:
                    yield number, f"{header} belongs in {' or '.join(sorted(COMPILER_FILES))}"
            elif not STANDARD.fullmatch(header) and header not in SYSTEM_HEADERS.get(name, ()):
                yield number, f"envs includes the standard library alone, not {header}"


def check_tree(root):
    """(complaints, number of files looked at)."""
    complaints, files = [], 0
    for layer in LAYERS:
        for path in sorted((root / layer).rglob("*")):
            if path.suffix in SUFFIXES:
                files += 1
                name = path.relative_to(root).as_posix()
                complaints += [f"{name}:{number}: {complaint}" for number, complaint in check_file(path, name)]
    return complaints, files


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[1]
    complaints, files = check_tree(root)
    for complaint in complaints:
        print(complaint)
    print(f"{files} files, {len(complaints)} breaches of the include table")
    return 1 if complaints or not files else 0


if __name__ == "__main__":
    sys.exit(main())

"""The files of a kernel: header, registration, CUDA side, CMake target."""

import math
import os
import tempfile
from pathlib import Path

import numpy as np

from .scalar_types import CPP, INTEGERS, special

ROOT = Path(__file__).resolve().parents[2]


def struct_name(name):
    return "".join(p.capitalize() for p in name.split("_"))


def bound(v, upper):
    v = float(v)
    if not math.isfinite(v) or abs(v) > 3e38:
        return f"{'' if v > 0 else '-'}std::numeric_limits<float>::infinity()"
    return f"float({np.float32(v).item()!r})"


def bounds(pairs):
    lines, row = [], ""
    for low, high in pairs:
        item = f"{{{bound(low, False)}, {bound(high, True)}}}, "
        if len(row) + len(item) > 120:
            lines.append(row.rstrip())
            row = ""
        row += item
    lines.append(row.rstrip(" ,"))
    return "{\n      " + "\n      ".join(lines) + "}"


def table(name, values, type):
    """A function that returns a constant by its place; device code can index an array only inside a function."""
    result = CPP[type]
    if type in INTEGERS:
        low, high = (int(values.min()), int(values.max())) if len(values) else (0, 0)
        ctype = next(c for c, b in (("int8_t", 7), ("int16_t", 15), ("int32_t", 31), ("int64_t", 63)) if -(2**b) <= low and high < 2**b)
        texts = [str(int(v)) for v in values]
    elif type in ("b1", "bool"):
        ctype, texts = "bool", ["true" if v else "false" for v in values]
    else:
        ctype = "float" if type == "f4" else "double"
        texts = [number(float(v), ctype) for v in values]
    lines, row = [], ""
    for text in texts:
        if len(row) + len(text) > 125:
            lines.append(row.rstrip())
            row = ""
        row += text + ", "
    lines.append(row.rstrip(" ,"))
    body = "\n        ".join(lines)
    return [
        f"  ORBIT_FN static {result} {name}(int64_t i) {{",
        f"    static constexpr {ctype} values[] = {{",
        f"        {body}}};",
        f"    return {result}(values[i]);",
        "  }",
    ]


def number(v, ctype):
    if not math.isfinite(v):
        return special(v, ctype)
    return repr(v) if ctype == "double" else f"float({v!r})"


def header(kernel, target, version):
    k, s = kernel, kernel.spaces
    out = [
        f"// {target}, converted from {os.path.basename(k.source)} by scripts/gym_to_kernel.py ({version}). Comments are the Python lines.",
        "#pragma once",
        '#include "envs/common/env_contract.h"',
        '#include "envs/common/python_math.h"',
        "",
        "namespace orbit {",
        "",
        "template <class Real>",
        f"struct {struct_name(k.name)} {{",
        f'  static constexpr const char* kName = "{k.name}";',
        f"  static constexpr ActionKind kActionKind = ActionKind::{s.kind};",
        f"  static constexpr int kActionSize = {len(s.actions)}, kObservationSize = {len(s.observations)}, kTimeLimit = {k.time_limit};",
        f"  static constexpr Bounds kActionBounds[kActionSize] = {bounds(s.actions)};",
        f"  static constexpr Bounds kObservationBounds[kObservationSize] = {bounds(s.observations)};",
        "  static constexpr Bounds kRewardBounds = {-std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()};",
        "",
    ]
    for name, values, type in k.tables.values():
        out += table(name, values, type)
    out.append("  struct State {")
    for f in k.layout.fields:
        out.append(f"    {f.ctype} {f.name}{f'[{f.size}]' if f.size else ''};  // {f.origin}")
    if not k.layout.fields:
        out.append("    int32_t nothing;  // the environment keeps nothing between steps")
    out += ["  };", "  template <class F>", "  ORBIT_FN static void fields(State& s, F& f) {"]
    for f in k.layout.fields:
        out.append(f'    f("{f.name}", s.{f.name});')
    if not k.layout.fields:
        out.append('    f("nothing", s.nothing);')
    unused = "[[maybe_unused]]"
    action = "const float* action" if s.kind == "kContinuous" else "const int32_t* action"
    out += (
        ["  }", "", "  ORBIT_FN static void reset([[maybe_unused]] State& s, [[maybe_unused]] Draws& draw) {"]
        + k.reset
        + ["  }", "", f"  ORBIT_FN static Transition<Real> step({unused} State& s, {unused} {action}, {unused} Draws& draw) {{"]
    )
    out += k.step + ["  }", "", "  ORBIT_FN static void observe([[maybe_unused]] const State& s, float* out) {"]
    out += [line if line.startswith("    ") else f"    {line}" for line in k.observe] + ["  }", "};", "", "}  // namespace orbit"]
    return "\n".join(out) + "\n"


def files(kernel, target, version):
    n, struct = kernel.name, struct_name(kernel.name)
    return {
        f"{n}.h": header(kernel, target, version),
        f"{n}.cpp": f"// The CPU side of {n}, and its table, which --env-library loads.\n"
        f'#include "{n}.h"\n#include "extensions/env_loops.h"\n\n'
        f"ORBIT_ENVIRONMENT_LIBRARY(orbit::{struct})\n",
        f"{n}.cu": f"// The CUDA side of {n}.\n"
        f'#include "{n}.h"\n#include "extensions/env_kernels.h"\n\nORBIT_ENVIRONMENT_KERNELS(orbit::{struct})\n',
        "CMakeLists.txt": f"""# Builds {n}.so from {target}, for --env-library:
#   cmake -S . -B build && cmake --build build
# ORBIT is the folder of orbit_train's sources.
cmake_minimum_required(VERSION 3.25)
project({n} LANGUAGES CXX)
set(ORBIT "{ROOT}" CACHE PATH "folder of orbit_train's sources")
include("${{ORBIT}}/cmake/OrbitEnvironment.cmake")
orbit_environment_library({n} {n}.cpp {n}.cu)
""",
    }


def write(folder, contents):
    """All files, each whole or not at all."""
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in contents.items():
        with tempfile.NamedTemporaryFile("w", dir=folder, prefix=f".{name}.", delete=False, encoding="utf-8") as f:
            f.write(text)
        os.chmod(f.name, 0o644)
        os.replace(f.name, folder / name)

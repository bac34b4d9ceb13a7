"""Loads the operators' library: afterwards they are torch.ops.orbit, with their schemas."""

import os
from pathlib import Path

import torch

TORCH_VERSION = "2.11."  # the library is compiled against this one; another has another binary interface


def library_path():
    """The library beside this file (pip's installation), or the one that ORBIT_OPS_LIBRARY names (a build folder's)."""
    named = os.environ.get("ORBIT_OPS_LIBRARY")
    path = Path(named) if named else Path(__file__).with_name("liborbit_ops.so")
    if not path.is_file():
        raise ImportError(f"{path}: no such file; install with pip, or set ORBIT_OPS_LIBRARY to build/lib/liborbit_ops.so")
    return path


if not torch.__version__.startswith(TORCH_VERSION):
    raise ImportError(f"orbit_train is built for torch {TORCH_VERSION}x; this is torch {torch.__version__}")
torch.ops.load_library(str(library_path()))
ops = torch.ops.orbit

"""Orbit Wars as batched PyTorch operators and as a gymnasium vector environment over them; PPO on any environment in three lines.

What a program does not use is not loaded: `orbit_train.rl2xla` needs neither torch nor the operators' library.
"""

import importlib

__all__ = ["OrbitWarsVectorEnv", "ops"]
__version__ = "0.1.0"
_HOMES = {"OrbitWarsVectorEnv": "orbit_train.orbit_wars", "ops": "orbit_train.operators"}


def __getattr__(name):
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOMES[name]), name)

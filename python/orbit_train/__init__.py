"""Orbit Wars as batched PyTorch operators, and as a gymnasium vector environment over them."""

from orbit_train.operators import ops
from orbit_train.orbit_wars import OrbitWarsVectorEnv

__all__ = ["OrbitWarsVectorEnv", "ops"]
__version__ = "0.1.0"

"""Episodes of a trained policy on a small environment: its greedy action, one episode in each of N environments."""
import os
import sys
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build"))
sys.path.insert(0, str(ROOT / "tests" / "python"))
from small_training_runs import actor_of  # noqa: E402  the weight file's network in PyTorch, none of the trainer's code

GRAVITY_Z = 5  # microduck's observation: gravity along the body's axis, -1 upright, 1 upside down
SOURCES = {"return": "final_return", "length": "final_length", "terminated": "terminated", "truncated": "truncated"}  # in the batch


def load_operators(library=None):
    """library: of scripts/gym_to_kernel.py, whose environment is wanted."""
    torch.ops.load_library(str(BUILD / "lib" / "liborbit_ops.so"))
    if library:
        torch.ops.orbit.load_env_library(str(library))


def play(environment, weights, episodes, seed):
    """Of each episode: return, length, terminated (by the environment's rules: a goal or a fall), truncated (by the time limit), and
    worst_gravity_z, the largest value of that observation. The environments' own sums are used, in float."""
    ops = torch.ops.orbit
    batch = ops.make_env_batch(environment, episodes, False)
    named = dict(zip(ops.env_batch_names(), batch, strict=True))
    actor, continuous = actor_of(weights), '"action_kind": "continuous"' in ops.env_description(environment)
    ops.env_reset_(environment, batch, seed)
    result = {name: torch.zeros(episodes) for name in SOURCES}
    goes_on, gravity = torch.ones(episodes, dtype=torch.bool), torch.full((episodes,), -torch.inf)
    while goes_on.any():
        observation = named["observation"]
        if observation.shape[1] > GRAVITY_Z:
            gravity = torch.where(goes_on, torch.maximum(gravity, observation[:, GRAVITY_Z]), gravity)
        with torch.no_grad():
            chosen = actor(observation)
        action = chosen if continuous else chosen.argmax(1, keepdim=True)
        ops.env_step_(environment, batch, action.contiguous(), seed)
        ends = goes_on & (named["terminated"] | named["truncated"])
        for name, source in SOURCES.items():
            result[name][ends] = named[source][ends].float()
        goes_on &= ~ends
    return result | {"worst_gravity_z": gravity}

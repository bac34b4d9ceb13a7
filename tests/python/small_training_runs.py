"""Tiny runs on small environments, and the networks of their weight files in PyTorch."""
import os
from pathlib import Path

import torch

import training_runs
from training_runs import ROOT

LIBRARIES = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build")) / "lib"
CONFIG = """
environment: {name: ENVIRONMENT}
model: {mlp: {hidden_sizes: [16, 16]}}
training:
  seed: 3
  iterations: 4
  episodes_per_iter: 6
  horizon: 30
  minibatch_size: 32
  observation_norm: true
  reward_norm: true
evaluation: {every: 2, games: 5}
device: {threads: 1}
output: {run_dir: RUN_DIR, run_name: NAME}
"""


def write_config(tmp_path, name, environment="cartpole", extra=""):
    return training_runs.write_config(tmp_path, name, extra=extra, template=CONFIG.replace("ENVIRONMENT", environment))


def actor_of(weights):
    """The mean or the logits of a separate-trunk tanh mlp, with the normalisation of its observations, as a function of (N, D)."""
    state = torch.load(weights, weights_only=True)
    layers = sorted({int(name.split(".")[1]) for name in state if name.startswith("actor.")})

    def actor(x):
        if "observation_norm.observation.mean" in state:
            scale = (state["observation_norm.observation.variance"] + 1e-8).rsqrt().float()
            x = ((x - state["observation_norm.observation.mean"].float()) * scale).clamp(-10, 10)
        for layer in layers:
            x = x @ state[f"actor.{layer}.weight"].T + state[f"actor.{layer}.bias"]
            x = x if layer == layers[-1] else torch.tanh(x)
        return x

    return actor

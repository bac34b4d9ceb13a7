"""Writes moves.npz: the actions and moves of policy.pt, for tests that read no .pt files. Run it beside policy.pt."""
import os

import numpy as np
import torch

here = os.path.dirname(os.path.abspath(__file__))
policy = torch.load(os.path.join(here, "policy.pt"), weights_only=True)
names = ("case_index", "target", "x", "moves", "moves_at", "moves_angle_bearing", "moves_angle_intercept", "moves_intercept_ok")
np.savez_compressed(os.path.join(here, "moves.npz"), **{name: policy[name].numpy() for name in names})

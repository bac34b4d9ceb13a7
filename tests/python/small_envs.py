"""Small environments (envs/common/env_contract.h) through their operators, by name of field."""
import json

import numpy as np
import torch

from orbit_ops import ops


class Batch:
    """N environments; tensors as attributes (observation, reward, ...), the state by name of its fields."""

    def __init__(self, name, count, in_double=True, seed=0):
        self.name, self.count, self.seed = name, count, seed
        self.about = json.loads(ops.env_description(name))
        self.tensors = ops.make_env_batch(name, count, in_double)
        self.named = dict(zip(ops.env_batch_names(), self.tensors, strict=True))
        self.rows = {f: (self.named["state_real"], i) for i, f in enumerate(self.about["real_fields"])}
        self.rows |= {f: (self.named["state_integer"], i) for i, f in enumerate(self.about["integer_fields"])}

    def __getattr__(self, name):
        return self.named[name]

    def field(self, name):
        """(N) values of one number of the state."""
        tensor, row = self.rows[name]
        return tensor[row]

    def state(self):
        """(fields, N), as float64, in the order of the fields' rows."""
        return torch.stack([self.field(f).double() for f in self.rows])

    def set_state(self, values):
        """values (fields, N), as state() gives them."""
        for row, name in zip(np.asarray(values), self.rows, strict=True):
            self.field(name).copy_(torch.as_tensor(row))

    def reset(self, given=None):
        ops.env_reset_(self.name, self.tensors, self.seed, 0, tensor_of(given))

    def step(self, action, given=None):
        whole = self.about["action_kind"] != "continuous"
        action = torch.as_tensor(np.asarray(action), dtype=torch.int64 if whole else torch.float32)
        ops.env_step_(self.name, self.tensors, action.reshape(self.count, -1).contiguous(), self.seed, 0, -1, tensor_of(given))

    def faults(self):
        return ops.env_faults(self.name, self.fault)


def tensor_of(given):
    return None if given is None else torch.as_tensor(np.asarray(given), dtype=torch.float64).contiguous()

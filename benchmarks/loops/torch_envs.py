"""CartPole as torch_loop.py steps it: gymnasium's Python environments, or the project's operators. A step gives tensors."""
import os
from pathlib import Path

import gymnasium
import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[2]


class GymnasiumEnvs:
    """Environments in a Python loop, an episode's end and the next one's start in the same step."""

    def __init__(self, count, seed):
        self.envs = gymnasium.vector.SyncVectorEnv([lambda: gymnasium.make("CartPole-v1") for _ in range(count)],
                                                   autoreset_mode=gymnasium.vector.AutoresetMode.SAME_STEP)
        self.seed, self.lengths, self.finished = seed, np.zeros(count), []

    def reset(self):
        return torch.as_tensor(self.envs.reset(seed=self.seed)[0])

    def step(self, action):
        observation, reward, terminated, truncated, _ = self.envs.step(action.numpy())
        done = terminated | truncated
        self.lengths += 1
        self.finished += self.lengths[done].tolist()
        self.lengths[done] = 0
        return torch.as_tensor(observation), torch.as_tensor(reward, dtype=torch.float32), torch.as_tensor(done, dtype=torch.float32)

    def mean_return(self):
        """Of the episodes since the last call; a step is worth 1."""
        episodes, self.finished = self.finished, []
        return float(np.mean(episodes)) if episodes else None


class NativeEnvs:
    """The same environment as one operator a step. Its tensors are overwritten by the next step."""

    def __init__(self, count, seed):
        build = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build"))
        torch.ops.load_library(str(build / "lib" / "liborbit_ops.so"))
        self.seed, self.batch = seed, torch.ops.orbit.make_env_batch("cartpole", count)
        self.named = dict(zip(torch.ops.orbit.env_batch_names(), self.batch, strict=True))

    def reset(self):
        torch.ops.orbit.env_reset_("cartpole", self.batch, self.seed)
        return self.named["observation"]

    def step(self, action):
        torch.ops.orbit.env_step_("cartpole", self.batch, action.unsqueeze(1), self.seed)
        t = self.named
        return t["observation"], t["reward"], torch.logical_or(t["terminated"], t["truncated"]).float()

    def mean_return(self):
        episodes, _, length = self.named["totals"].sum(0)[:3].tolist()
        self.named["totals"].zero_()
        return length / episodes if episodes else None

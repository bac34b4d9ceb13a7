#!/usr/bin/env python3
"""PPO on CartPole by Stable-Baselines3.

    python benchmarks/loops/sb3_loop.py [--num-envs 16] [--threads 2] [--updates 2]

A shared trunk is a feature extractor there. Its time limit bootstraps, its advantages are normalised by minibatch, as ours.
"""
import gymnasium
import torch
from stable_baselines3 import PPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import DummyVecEnv

import side


class Trunk(BaseFeaturesExtractor):
    def __init__(self, space):
        super().__init__(space, side.HIDDEN)
        self.layers = torch.nn.Sequential(torch.nn.Linear(4, side.HIDDEN), torch.nn.Tanh(), torch.nn.Linear(side.HIDDEN, side.HIDDEN),
                                          torch.nn.Tanh())

    def forward(self, observation):
        return self.layers(observation)


class Loop:
    def __init__(self, setting):
        self.setting = setting
        envs = DummyVecEnv([lambda: gymnasium.make("CartPole-v1") for _ in range(setting.num_envs)])
        network = dict(features_extractor_class=Trunk, net_arch=[]) if setting.shared else dict(net_arch=[side.HIDDEN, side.HIDDEN])
        self.model = PPO("MlpPolicy", envs, learning_rate=side.LR, n_steps=side.HORIZON, batch_size=setting.minibatch_size,
                         n_epochs=side.EPOCHS, gamma=side.GAMMA, gae_lambda=side.GAE_LAMBDA, clip_range=side.CLIP_EPS,
                         ent_coef=side.ENTROPY_COEF, vf_coef=side.VALUE_COEF, max_grad_norm=side.MAX_GRAD_NORM,
                         policy_kwargs=network, device="cpu", seed=0)
        self.callback = self.model._setup_learn(1)[1]
        self.actions = torch.randint(2, (side.HORIZON, setting.num_envs)).numpy()

    def step_randomly(self, count):
        for _ in range(count):
            for action in self.actions:
                self.model.env.step(action)

    def collect(self, count):
        m = self.model
        for _ in range(count):
            m.collect_rollouts(m.env, self.callback, m.rollout_buffer, n_rollout_steps=side.HORIZON)

    def train(self, count):
        self.model.learn(count * self.setting.steps)


def main():
    setting, options = side.parse_setting(__doc__)
    loop = Loop(setting)
    parts = {part: side.RepeatedByTorch(setting, work, torch.set_num_threads)
             for part, work in (("rollout", loop.collect), ("train", loop.train))}
    side.serve("sb3", options, {"env": side.Repeated(setting, loop.step_randomly)} | parts)


if __name__ == "__main__":
    main()

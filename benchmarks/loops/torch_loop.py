#!/usr/bin/env python3
"""PPO on CartPole as a Python loop over PyTorch, in the style of CleanRL's ppo.py: tiers 2 and 3 of loop_tiers.py.

    python benchmarks/loops/torch_loop.py --env gymnasium|native [--num-envs 16] [--threads 2] [--updates 10]

Tier 2: gymnasium's environments stepped in Python. Tier 3: the project's operators step all of them at once; the loop is the same.
"""
import torch
from torch import nn

import side
import torch_envs


def layer(inputs, outputs, gain=2**0.5):
    linear = nn.Linear(inputs, outputs)
    nn.init.orthogonal_(linear.weight, gain)
    nn.init.zeros_(linear.bias)
    return linear


def trunk():
    return nn.Sequential(layer(4, side.HIDDEN), nn.Tanh(), layer(side.HIDDEN, side.HIDDEN), nn.Tanh())


class Agent(nn.Module):
    def __init__(self, shared):
        super().__init__()
        self.trunk = trunk() if shared else nn.Identity()
        behind = (lambda head: head) if shared else (lambda head: nn.Sequential(trunk(), head))
        self.actor, self.critic = behind(layer(side.HIDDEN, 2, 0.01)), behind(layer(side.HIDDEN, 1, 1.0))

    def value(self, observation):
        return self.critic(self.trunk(observation)).squeeze(1)

    def forward(self, observation, action=None):
        hidden = self.trunk(observation)
        distribution = torch.distributions.Categorical(logits=self.actor(hidden))
        if action is None:
            action = distribution.sample()
        return action, distribution.log_prob(action), distribution.entropy(), self.critic(hidden).squeeze(1)


class Loop:
    def __init__(self, setting, envs):
        self.setting, self.envs = setting, envs
        self.agent = Agent(setting.shared)
        self.optimizer = torch.optim.Adam(self.agent.parameters(), lr=side.LR, eps=1e-5)
        shape = (side.HORIZON, setting.num_envs)
        self.observations, self.actions = torch.zeros(*shape, 4), torch.zeros(shape, dtype=torch.int64)
        self.log_probs, self.rewards, self.dones, self.values = (torch.zeros(shape) for _ in range(4))
        self.random_actions = torch.randint(2, shape)
        self.observation, self.done = envs.reset().clone(), torch.zeros(setting.num_envs)

    def step_randomly(self, count):
        for _ in range(count):
            for action in self.random_actions:
                self.envs.step(action)

    @torch.no_grad()
    def collect(self, count=1):
        for _ in range(count):
            for t in range(side.HORIZON):
                self.observations[t], self.dones[t] = self.observation, self.done
                self.actions[t], self.log_probs[t], _, self.values[t] = self.agent(self.observation)
                self.observation, self.rewards[t], self.done = self.envs.step(self.actions[t])

    @torch.no_grad()
    def advantages(self):
        advantages, last = torch.zeros_like(self.rewards), 0.0
        next_value, goes_on = self.agent.value(self.observation), 1.0 - self.done
        for t in reversed(range(side.HORIZON)):
            delta = self.rewards[t] + side.GAMMA * next_value * goes_on - self.values[t]
            advantages[t] = last = delta + side.GAMMA * side.GAE_LAMBDA * goes_on * last
            next_value, goes_on = self.values[t], 1.0 - self.dones[t]
        return advantages

    def learn(self):
        advantages = self.advantages()
        rows = [t.flatten(0, 1) for t in (self.observations, self.actions, self.log_probs, advantages, advantages + self.values)]
        for _ in range(side.EPOCHS):
            for index in torch.randperm(self.setting.steps).split(self.setting.minibatch_size):
                self.learn_from(*(t[index] for t in rows))

    def learn_from(self, observation, action, old_log_prob, advantage, ret):
        _, log_prob, entropy, value = self.agent(observation, action)
        log_ratio = log_prob - old_log_prob
        ratio = log_ratio.exp()
        with torch.no_grad():  # what CleanRL shows of each update
            self.approx_kl = ((ratio - 1) - log_ratio).mean()
            self.clip_fraction = ((ratio - 1).abs() > side.CLIP_EPS).float().mean().item()
        advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
        policy_loss = torch.max(-advantage * ratio, -advantage * ratio.clamp(1 - side.CLIP_EPS, 1 + side.CLIP_EPS)).mean()
        loss = policy_loss - side.ENTROPY_COEF * entropy.mean() + side.VALUE_COEF * 0.5 * (value - ret).square().mean()
        self.optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(self.agent.parameters(), side.MAX_GRAD_NORM)
        self.optimizer.step()

    def train(self, count):
        for _ in range(count):
            self.collect()
            self.learn()


def main():
    setting, options = side.parse_setting(__doc__, lambda p: p.add_argument("--env", choices=("gymnasium", "native"), required=True))
    torch.manual_seed(0)
    envs = {"gymnasium": torch_envs.GymnasiumEnvs, "native": torch_envs.NativeEnvs}[options.env](setting.num_envs, seed=1)
    loop = Loop(setting, envs)
    parts = {part: side.RepeatedByTorch(setting, work, torch.set_num_threads)
             for part, work in (("rollout", loop.collect), ("train", loop.train))}
    side.serve(f"{options.env}-torch", options, {"env": side.Repeated(setting, loop.step_randomly)} | parts,
               lambda: {"episode_return": envs.mean_return()})


if __name__ == "__main__":
    main()

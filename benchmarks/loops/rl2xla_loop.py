#!/usr/bin/env python3
"""CartPole by rl2xla: its converter, its compile_ppo, its trainer.

    python benchmarks/loops/rl2xla_loop.py [--num-envs 16] [--threads 2] [--updates 300]

Its policies are tanh-Gaussian, so this is one continuous action in place of two choices, the network else the same; CartPole takes the
action for "left" unless it is exactly 1, so episodes last some 9 steps and nothing is learned. It has no gradient clipping, no
truncation, and drops the rows of a last minibatch that is not full. The work of a step is what is compared.
"""
import contextlib
import os

import side

SETTING, OPTIONS = side.parse_setting(__doc__)  # before JAX looks at the cores

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402
from flax import linen as nn  # noqa: E402
from rl2xla import PPOConfig, compile_ppo, gym_to_jax  # noqa: E402

N = SETTING.num_envs


class ActorCritic(nn.Module):
    @nn.compact
    def __call__(self, observation):
        def trunk():
            return nn.Sequential([nn.Dense(side.HIDDEN), nn.tanh, nn.Dense(side.HIDDEN), nn.tanh])

        hidden = trunk()(observation)
        mean = nn.Dense(1)(hidden)
        log_std = self.param("log_std", nn.initializers.zeros, (1,))
        value = nn.Dense(1)(hidden if SETTING.shared else trunk()(observation))[..., 0]
        return mean, jnp.broadcast_to(log_std, mean.shape), value


class Loop:
    def __init__(self):
        self.reset, self.step = gym_to_jax("CartPole-v1")
        self.trainer = compile_ppo(self.reset, self.step, ActorCritic())
        self.config = PPOConfig(num_envs=N, horizon=side.HORIZON, epochs=side.EPOCHS, minibatch_size=SETTING.minibatch_size, lr=side.LR,
                                gamma=side.GAMMA, lam=side.GAE_LAMBDA, clip_ratio=side.CLIP_EPS, value_coef=side.VALUE_COEF,
                                entropy_coef=side.ENTROPY_COEF)
        self.states, self.observation = jax.jit(jax.vmap(self.reset))(jax.random.split(jax.random.PRNGKey(1), N))
        self.actions = jax.random.uniform(jax.random.PRNGKey(3), (side.HORIZON, N, 1), minval=-1, maxval=1)  # drawn beforehand
        self._step_randomly = jax.jit(self.random_steps)
        self.result = None

    def random_steps(self, states, key):
        """As its rollout resets: all environments are, and those that ended take theirs."""
        def step(carry, action):
            states, key = carry
            key, draw = jax.random.split(key)
            following, _, _, done = jax.vmap(self.step)(states, action)
            fresh, _ = jax.vmap(self.reset)(jax.random.split(draw, N))
            return (jax.tree.map(lambda f, s: jnp.where(jnp.expand_dims(done, tuple(range(1, f.ndim))), f, s), fresh, following), key), None

        return jax.lax.scan(step, (states, key), self.actions)[0]

    def step_randomly(self, count):
        states, key = self.states, jax.random.PRNGKey(4)
        for _ in range(count):
            states, key = self._step_randomly(states, key)
        self.states = jax.block_until_ready(states)

    def train(self, count):
        """Its own clock begins after its set-up, ends after its last update, and is the one that is read."""
        with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
            self.result = self.trainer.train(self.config._replace(updates=count))

    def collect(self, count):
        """Its compiled rollout, which its trainer builds."""
        if self.result is None:
            self.train(1)
        states, observation, params = self.states, self.observation, self.result["params"]
        for i in range(count):
            (states, observation, params), played = self.trainer._collect(states, observation, params, jax.random.PRNGKey(i))
        jax.block_until_ready(played)
        self.states, self.observation = states, observation


class Trained(side.Repeated):
    def __init__(self, loop):
        super().__init__(SETTING, loop.train)
        self.loop = loop

    def timed(self, count):
        row = super().timed(count)
        return row | {"seconds": row["steps"] / self.loop.result["steps_per_second"]}


def main():
    loop = Loop()
    side.serve("rl2xla", OPTIONS, {"env": side.Repeated(SETTING, loop.step_randomly), "rollout": side.Repeated(SETTING, loop.collect),
                                   "train": Trained(loop)})


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""PPO on CartPole as one function under jit, in the style of PureJaxRL's ppo.py: environment, rollout, advantages and updates are scans
within a loop over iterations, and Python sees none of it.

    python benchmarks/loops/jax_loop.py [--num-envs 16] [--threads 2] [--trunk separate] [--updates 300]

As there, an episode that the time limit cuts counts as ended.
"""
import functools
from typing import NamedTuple

import side

SETTING, OPTIONS = side.parse_setting(__doc__)  # before JAX looks at the cores

import jax  # noqa: E402
import jax.numpy as jnp  # noqa: E402

import jax_cartpole as cartpole  # noqa: E402

N, MINIBATCH = SETTING.num_envs, SETTING.minibatch_size


class Transition(NamedTuple):
    observation: jax.Array
    action: jax.Array
    log_prob: jax.Array
    value: jax.Array
    done: jax.Array


class State(NamedTuple):
    weights: dict
    first: dict  # moments of Adam
    second: dict
    updates: jax.Array
    envs: jax.Array
    key: jax.Array
    episodes: jax.Array  # that ended


def fresh_weights(key):
    sizes = [(4, side.HIDDEN, 2**0.5), (side.HIDDEN, side.HIDDEN, 2**0.5)]
    nets = {"trunk": sizes, "actor": [(side.HIDDEN, 2, 0.01)], "critic": [(side.HIDDEN, 1, 1.0)]}
    if not SETTING.shared:
        nets = {"trunk": [], "actor": sizes + nets["actor"], "critic": sizes + nets["critic"]}

    def layer(inputs, outputs, gain, key):
        return jax.nn.initializers.orthogonal(gain)(key, (inputs, outputs)), jnp.zeros(outputs)

    keys = iter(jax.random.split(key, 8))
    return {name: [layer(*size, next(keys)) for size in sizes] for name, sizes in nets.items()}


def forward(weights, observation):
    """Logits (B, 2) and values (B)."""
    def run(layers, x, last_is_hidden):
        for i, (matrix, bias) in enumerate(layers):
            x = x @ matrix + bias
            x = jnp.tanh(x) if last_is_hidden or i + 1 < len(layers) else x
        return x

    hidden = run(weights["trunk"], observation, True)
    return run(weights["actor"], hidden, False), run(weights["critic"], hidden, False)[:, 0]


def collect(state):
    def step(carry, _):
        envs, key = carry
        key, draw, fresh = jax.random.split(key, 3)
        observation = envs[:, :4]
        logits, value = forward(state.weights, observation)
        action = jax.random.categorical(draw, logits)
        log_prob = jnp.take_along_axis(jax.nn.log_softmax(logits), action[:, None], 1)[:, 0]
        envs, done = jax.vmap(cartpole.step_or_reset)(jax.random.split(fresh, N), envs, action)
        return (envs, key), Transition(observation, action, log_prob, value, done.astype(jnp.float32))

    (envs, key), played = jax.lax.scan(step, (state.envs, state.key), None, side.HORIZON)
    return state._replace(envs=envs, key=key, episodes=state.episodes + played.done.sum()), played


def advantages_of(played, last_value):
    def step(carry, t):
        gae, next_value = carry
        delta = 1.0 + side.GAMMA * next_value * (1 - t.done) - t.value
        gae = delta + side.GAMMA * side.GAE_LAMBDA * (1 - t.done) * gae
        return (gae, t.value), gae

    return jax.lax.scan(step, (jnp.zeros_like(last_value), last_value), played, reverse=True)[1]


def loss(weights, batch):
    played, advantage, ret = batch
    logits, value = forward(weights, played.observation)
    log_p = jax.nn.log_softmax(logits)
    ratio = jnp.exp(jnp.take_along_axis(log_p, played.action[:, None], 1)[:, 0] - played.log_prob)
    advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-8)
    policy_loss = -jnp.minimum(ratio * advantage, jnp.clip(ratio, 1 - side.CLIP_EPS, 1 + side.CLIP_EPS) * advantage).mean()
    entropy = -(jnp.exp(log_p) * log_p).sum(1).mean()
    return policy_loss + side.VALUE_COEF * 0.5 * jnp.square(value - ret).mean() - side.ENTROPY_COEF * entropy


def learn_from(state, batch):
    """Adam after clipping."""
    gradient = jax.grad(loss)(state.weights, batch)
    norm = jnp.sqrt(sum(jnp.square(g).sum() for g in jax.tree.leaves(gradient)))
    gradient = jax.tree.map(lambda g: g * jnp.minimum(1.0, side.MAX_GRAD_NORM / (norm + 1e-6)), gradient)
    t = state.updates + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, state.first, gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, state.second, gradient)
    scale, root = side.LR / (1 - 0.9**t), jnp.sqrt(1 - 0.999**t)
    weights = jax.tree.map(lambda p, m, v: p - scale * m / (jnp.sqrt(v) / root + 1e-5), state.weights, first, second)
    return state._replace(weights=weights, first=first, second=second, updates=t), None


def learn(state, played):
    advantage = advantages_of(played, forward(state.weights, state.envs[:, :4])[1])
    rows = jax.tree.map(lambda x: x.reshape(SETTING.steps, *x.shape[2:]), (played, advantage, advantage + played.value))

    def epoch(state, _):
        key, draw = jax.random.split(state.key)
        order = jax.random.permutation(draw, SETTING.steps)[: SETTING.steps // MINIBATCH * MINIBATCH]
        minibatches = jax.tree.map(lambda x: x[order].reshape(-1, MINIBATCH, *x.shape[1:]), rows)
        return jax.lax.scan(learn_from, state._replace(key=key), minibatches)

    return jax.lax.scan(epoch, state, None, side.EPOCHS)[0]


def step_randomly(actions, state):
    def step(carry, action):
        envs, key, episodes = carry
        key, fresh = jax.random.split(key)
        envs, done = jax.vmap(cartpole.step_or_reset)(jax.random.split(fresh, N), envs, action)
        return (envs, key, episodes + done.sum()), None

    envs, key, episodes = jax.lax.scan(step, (state.envs, state.key, state.episodes), actions)[0]
    return state._replace(envs=envs, key=key, episodes=episodes)


def repeat(once, carried, count):
    """So many iterations as one program; the count is an argument, so that it is compiled once."""
    return jax.lax.fori_loop(0, count, lambda _, c: once(c), carried)


class Loop:
    def __init__(self):
        weights, envs = fresh_weights(jax.random.key(0)), jax.vmap(cartpole.reset)(jax.random.split(jax.random.key(1), N))
        zeros = jax.tree.map(jnp.zeros_like, weights)
        self.state = State(weights, zeros, zeros, jnp.zeros(()), envs, jax.random.key(2), jnp.zeros(()))
        actions = jax.random.bernoulli(jax.random.key(3), 0.5, (side.HORIZON, N)).astype(jnp.int32)  # drawn beforehand
        played = jax.tree.map(jnp.zeros_like, jax.eval_shape(collect, self.state)[1])
        self._step_randomly = jax.jit(functools.partial(repeat, functools.partial(step_randomly, actions)))
        self._collect = jax.jit(functools.partial(repeat, lambda carried: collect(carried[0])))
        self._train = jax.jit(functools.partial(repeat, lambda state: learn(*collect(state))))
        self.played, self.steps, self.episodes = played, 0, 0.0

    def keep(self, state, count):
        self.state = jax.block_until_ready(state)
        self.steps += count * SETTING.steps

    def step_randomly(self, count):
        self.keep(self._step_randomly(self.state, count), count)

    def collect(self, count):
        state, self.played = jax.block_until_ready(self._collect((self.state, self.played), count))
        self.keep(state, count)

    def train(self, count):
        self.keep(self._train(self.state, count), count)

    def facts(self):
        episodes = float(self.state.episodes) - self.episodes
        mean = self.steps / episodes if episodes else None
        self.steps, self.episodes = 0, float(self.state.episodes)
        return {"episode_return": mean}


def main():
    loop = Loop()
    works = {"env": loop.step_randomly, "rollout": loop.collect, "train": loop.train}
    side.serve("jax", OPTIONS, {part: side.Repeated(SETTING, work) for part, work in works.items()}, loop.facts)


if __name__ == "__main__":
    main()

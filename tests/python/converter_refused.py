"""Environments that can't become kernels, one reason each; REFUSED says what the user must be told."""

import random
import time

import gymnasium as gym
import numpy as np
from gymnasium import spaces

SHARED = np.zeros(3)


class Plain(gym.Env):
    """What the others change one thing of."""

    def __init__(self):
        self.observation_space, self.action_space = spaces.Box(-9, 9, (3,), np.float64), spaces.Discrete(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.v = self.np_random.uniform(-1, 1, 3)
        return self.v.copy(), {}

    def step(self, action):
        self.change(action)
        return self.v.copy(), 0.0, False, False, {}

    def change(self, action):
        self.v = self.v * 0.5


class DataShape(Plain):
    def change(self, action):
        hits = np.nonzero(self.v > 0)[0]
        self.v[0] += len(hits)


class MaskedShape(Plain):
    def change(self, action):
        self.v[0] += self.v[self.v > 0].sum()


class ComputedSlice(Plain):
    def change(self, action):
        self.v[0] = self.v[action:].sum()


class Body:
    def __init__(self):
        self.speed = 1.0


class ObjectState(Plain):
    def __init__(self):
        super().__init__()
        self.body = Body()

    def change(self, action):
        self.body.speed += 0.1
        self.v[0] = self.body.speed


class DictState(Plain):
    def __init__(self):
        super().__init__()
        self.inventory = {"wood": 0, "stone": 0}

    def change(self, action):
        self.inventory["wood"] += 1
        self.v[0] = self.inventory["wood"]


class OtherRandom(Plain):
    def change(self, action):
        self.v[0] = random.random()


class GlobalNumpyRandom(Plain):
    def change(self, action):
        self.v += np.random.normal(size=3)


class Clock(Plain):
    def change(self, action):
        self.v[0] = time.time() % 1


class SharedArray(Plain):
    def change(self, action):
        SHARED[action] += 1
        self.v[0] = SHARED[0] % 3


class CarriesOver(Plain):
    def __init__(self):
        super().__init__()
        self.games = 0

    def change(self, action):
        self.games += 1
        self.v[0] = self.games % 5


class Recursive(Plain):
    def change(self, action):
        self.v[0] = self.count(action)

    def count(self, n):
        return 0 if n <= 0 else 1 + self.count(n - 1)


class Generates(Plain):
    def change(self, action):
        for x in self.parts():
            self.v[0] += x

    def parts(self):
        yield 0.5
        yield 0.25


class NumberOrText(Plain):
    def change(self, action):
        if action == 1:
            self.kind = "fast"
        else:
            self.kind = 3.5
        self.v[0] = self.kind == "fast"


class Condition(Plain):
    def reset(self, *, seed=None, options=None):
        self.w = np.ones(3)
        return super().reset(seed=seed)

    def change(self, action):
        chosen = self.v if action == 0 else self.w
        chosen[0] = 0.5
        self.v[1] = self.w[0]


class DrawsInInfo(Plain):
    def step(self, action):
        return self.v.copy(), 0.0, False, False, {"luck": self.np_random.random()}


class FourResults(Plain):
    def step(self, action):
        return self.v.copy(), 0.0, False, {}


class WrongSize(Plain):
    def step(self, action):
        return np.concatenate([self.v, self.v]), 0.0, False, False, {}


class TextAction(Plain):
    def __init__(self):
        super().__init__()
        self.action_space = spaces.Text(5)


class Fails(Plain):
    def __init__(self):
        raise FileNotFoundError("no map.txt")


class NoReset(gym.Env):
    def __init__(self):
        self.observation_space, self.action_space = spaces.Discrete(3), spaces.Discrete(3)

    def step(self, action):
        return 0, 0.0, False, False, {}


class Matches(Plain):
    def change(self, action):
        match action:
            case 0:
                self.v[0] = 1


exec(
    compile(
        "class NoSource(Plain):\n    def step(self, action):\n        return self.v.copy(), 0.0, False, False, {}\n",
        "<made at run time>",
        "exec",
    )
)

# class, the Python that the message quotes, a part of the reason
REFUSED = [
    ("DataShape", "np.nonzero(self.v > 0)", "depend on data"),
    ("MaskedShape", "self.v[self.v > 0]", "depend on data"),
    ("ComputedSlice", "self.v[action:]", "depend on data"),
    ("ObjectState", "self.body.speed += 0.1", "an attribute of"),
    ("DictState", "self.inventory['wood'] += 1", "a dict that changes"),
    ("OtherRandom", "random.random()", "self.np_random"),
    ("GlobalNumpyRandom", "np.random.normal(size=3)", "self.np_random"),
    ("Clock", "time.time()", "compiled code"),
    ("SharedArray", "SHARED[action] += 1", "SHARED"),
    ("CarriesOver", "", "self.games keeps what an episode left in it"),
    ("Recursive", "self.count(n - 1)", "calls itself"),
    ("Generates", "self.parts()", "generator"),
    ("NumberOrText", "self.kind == 'fast'", "kind is"),
    ("Condition", "chosen[0] = 0.5", "depending on a condition"),
    ("DrawsInInfo", "return", "info"),
    ("FourResults", "", "(observation, reward, terminated, truncated, info)"),
    ("WrongSize", "", "6 numbers, its space 3"),
    ("TextAction", "", "action space"),
    ("Fails", "", "no map.txt"),
    ("NoReset", "", "no reset of its own"),
    ("Matches", "match action", "if and elif"),
    ("NoSource", "", "no Python source"),
]

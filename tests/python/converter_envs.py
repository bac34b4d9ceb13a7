"""Environments that are hard to translate, one a subject: the rows of scripts/gym_to_kernel/README.md name them. Each is as odd
as it can be while its episodes go on; nothing in them is useful."""

import math

import gymnasium as gym
import numpy as np
from gymnasium import spaces

CALL = 0.125
STEPS_OF = {"up": 2, "down": -1, "idle": 0}
WEIGHTS = np.array([[0.5, -0.25, 0.125], [0.75, 0.5, -0.5]])
PATTERN = np.arange(24, dtype=np.float32).reshape(4, 6) / 7


def numbers(count, low=-np.inf, high=np.inf):
    return spaces.Box(low, high, (count,), np.float64)


class Branches(gym.Env):
    """elif chains, conditional expressions, short circuits, chained comparisons, two statements in a branch, early returns."""

    def __init__(self):
        self.observation_space, self.action_space = numbers(5), spaces.Discrete(5)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.floor = self.np_random.integers(-3, 4)
        self.doors, self.heat = False, self.np_random.uniform(-1, 1)
        self.table = np.zeros(4, np.int32)
        return self._observation(), {}

    def _observation(self):
        return np.array([self.floor, self.doors, self.heat, self.table[0], self.table[3]], dtype=np.float64)

    def grade(self, x):
        if x < -2:
            return -1.5
        elif -2 <= x < 0:
            return 0
        if x == 0:
            y = 3
            return y + 1
        return 2 if x > 2 else 1.25

    def step(self, action):
        assert self.action_space.contains(action), "never translated"
        reward = 0
        if action == 0:
            self.floor += 1
            self.doors = not self.doors
        elif action == 1 and not self.doors:
            self.floor -= 1
        elif action == 2 or (self.doors and self.heat > 0.5):
            self.heat = -self.heat / 2
            reward = 0.5
        elif action == 3:
            if self.floor > 3 or self.table[(self.floor + 3) % 4] > 2:
                return self._observation(), -7.0, True, False, {}
            self.table[0 if self.floor < 0 else 3] += 1
        else:
            self.heat = self.heat * 1.5 if abs(self.heat) < 3 else 0.0
        if not -6 < self.floor < 6 != action:
            return self._observation(), self.grade(self.floor) - 10, True, False, {"why": f"floor {self.floor}"}
        inside = 0 <= self.floor + 3 < 4 and self.table[self.floor + 3] > 1
        reward += self.grade(self.floor) + (1 if inside else 0) + (self.floor and self.heat) * 0.25
        return self._observation(), float(reward), bool(self.heat > 8 or self.floor == 5), self.floor == -5, {}


class Loops(gym.Env):
    """while with break and continue, ranges with steps, nested loops, returns from inside loops, names whose types change in a loop."""

    def __init__(self):
        self.observation_space, self.action_space = numbers(6), spaces.Discrete(4)
        self.limits = [3, 5, 2, 7]

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.n = int(self.np_random.integers(1, 30))
        self.a, self.b = 1, 0.5
        self.found = -1
        self.history = np.zeros(6)
        return self.history.copy(), {}

    def collatz(self, n):
        steps = 0
        while n != 1:
            if steps > 40:
                break
            if n % 2 == 0:
                n //= 2
                steps += 1
                continue
            n = 3 * n + 1
            steps += 1
        return steps

    def search(self, wanted):
        for i in range(2, 12):
            for j in range(i, 0, -2):
                if i * j == wanted:
                    return i, j
                if j == 1:
                    break
        return -1, -1

    def root(self, x):
        guess = 1
        while True:
            better = (guess + x / guess) / 2
            if abs(better - guess) < 1e-9:
                return better
            guess = better

    def step(self, action):
        total = 0
        for k in range(self.limits[action]):
            if k == self.n % 5:
                continue
            total = total + k / 2
            if total > 6.5:
                break
        for limit in self.limits:
            total += limit if limit > action else -limit
        i, j = self.search(self.n)
        self.found = i * 100 + j
        self.a, self.b = self.b, self.a
        p, q = 0, 1
        for _ in range(action + 3):
            p, q = q, p + q
        last = None
        for index, value in enumerate(self.history):
            if value > 2:
                last = index
        count = self.collatz(self.n)
        self.history = np.array([self.n, self.a, self.found, count, self.root(self.n + 1), p])
        self.n = (self.n * 7 + action + q) % 61 + 1
        reward = total - count + (0 if last is None else last)
        return self.history.copy(), float(reward), self.n == 13, count > 40, {}


class Grid(gym.Env):
    """An integer grid that steps write to, whole-number rules, negative indices, boolean masks, rows as views."""

    HEIGHT, WIDTH = 5, 7

    def __init__(self):
        self.observation_space, self.action_space = spaces.Box(-9, 99, (self.HEIGHT * self.WIDTH + 3,), np.int64), spaces.Discrete(5)
        self.moves = np.array([(0, 1), (1, 0), (0, -1), (-1, 0), (2, -3)])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.grid = np.zeros((self.HEIGHT, self.WIDTH), dtype=np.int8)
        for _ in range(6):
            self.grid[self.np_random.integers(self.HEIGHT), self.np_random.integers(0, self.WIDTH)] = 1
        self.row, self.col, self.score = 2, 3, 0
        self.grid[self.row, self.col] = 2
        return self.observe(), {}

    def observe(self):
        return np.concatenate([self.grid.ravel(), [self.row, self.col], np.array([self.score])])

    def neighbours(self, row, col):
        n = 0
        for dr in range(-1, 2):
            for dc in (-1, 0, 1):
                if (dr, dc) != (0, 0) and self.grid[(row + dr) % self.HEIGHT][(col + dc) % self.WIDTH] == 1:
                    n += 1
        return n

    def step(self, action):
        dr, dc = self.moves[action]
        row, col = (self.row + dr) % self.HEIGHT, (self.col + dc) % self.WIDTH
        hit = self.grid[row, col] == 1
        if hit:
            self.score -= 3
            self.grid[row, col] = 0
            self.grid[-1 - row, col - self.WIDTH] ^= 1
        else:
            self.grid[self.row, self.col] = 0
            self.row, self.col = int(row), int(col)
            self.grid[row, col] = 2
        line = self.grid[row]
        if line.sum() > 4:
            line[line == 1] = 0
            self.score += 5
        column = self.grid[:, col]
        column[:2] = np.where(column[:2] == 0, 1, column[:2])
        self.score += self.neighbours(self.row, self.col) // 2 + int(np.count_nonzero(self.grid == 1)) % 3
        full = bool((self.grid[1:-1, 1:-1] != 0).all())
        return self.observe(), -float(hit), full or self.score > 60, bool(np.any(self.grid.sum(axis=1) > 9)), {}


class Arm(gym.Env):
    """Per-joint loops, nested helpers, matrix products, slices that are views, float32 beside float64."""

    def __init__(self, joints=5):
        self.joints = joints
        self.observation_space = spaces.Box(-50, 50, (3 * joints + 4,), np.float32)
        self.action_space = spaces.Box(-1, 1, (joints,), np.float32)
        self.gains = np.linspace(1, 2, joints).astype(np.float32)
        self.mixing = np.eye(joints) * 0.9 + 0.02

    def reset(self, seed=None, options=None):
        super().reset(seed=seed)
        self.state = np.zeros(2 * self.joints, np.float32)
        self.state[: self.joints] = self.np_random.uniform(-0.5, 0.5, self.joints)
        self.tip = self._tip(self.state[: self.joints])
        self.goal = self.np_random.normal([1.0, 0.5], 0.2)
        self.energy = 0.0
        self.torque = np.zeros(self.joints)
        return self._obs(), {}

    def _tip(self, angles):
        x = y = angle = 0.0
        for i in range(self.joints):
            angle += angles[i]
            dx, dy = self._link(angle, length=0.4)
            x, y = x + dx, y + dy
        return np.array([x, y])

    @staticmethod
    def _link(angle, length):
        def turned(f):
            return length * f(angle)

        return turned(np.cos), turned(np.sin)

    def _obs(self):
        return np.concatenate((self.state, self.torque, self.tip, self.goal)).astype(np.float32)

    @property
    def distance(self):
        return np.linalg.norm(self.tip - self.goal)

    def step(self, action):
        before = self.distance
        angles, speeds = self.state[: self.joints], self.state[self.joints :]
        self.torque[:] = self.mixing @ np.clip(action, -1, 1)
        for _ in range(4):
            for i in range(self.joints):
                pull = self.gains[i] * self.torque[i] - 0.3 * speeds[i]
                if i > 0 and angles[i - 1] * angles[i] < 0:
                    pull -= 0.1 * np.sign(angles[i])
                speeds[i] += 0.05 * pull
            angles += np.float32(0.05) * speeds
        np.clip(angles, -2.5, 2.5, out=angles)
        self.tip = self._tip(angles)
        self.energy += float(np.dot(self.torque, self.torque))
        reward = before - self.distance - 0.01 * np.square(action).sum()
        return self._obs(), float(reward), bool(self.distance < 0.35), self.energy > 60, {"is_success": self.distance < 0.35}


class Queue(gym.Env):
    """Lists that grow and shrink, `in`, sums and sorts of them, indices from their ends."""

    def __init__(self):
        self.observation_space, self.action_space = numbers(5), spaces.Discrete(4)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.line = [int(self.np_random.integers(1, 9))]
        self.served = []
        return self._get(), {}

    def _get(self):
        ordered = sorted(self.line)
        middle = ordered[len(ordered) // 2] if ordered else 0
        return np.array(
            [len(self.line), sum(self.line), middle, len(self.served), max(self.line) if len(self.line) > 0 else -1], np.float64
        )

    def step(self, action):
        reward = 0.0
        if action == 0 or not self.line:
            self.line.append(int(self.np_random.choice([1, 2, 3, 5, 8])))
        elif action == 1:
            reward = self.line.pop(0) / 4
            self.served.append(reward)
        elif action == 2:
            self.line[-1] += 1
            if 7 in self.line:
                self.line.pop()
        else:
            for person in self.line:
                if person > 5:
                    reward -= 0.5
            self.line = [p + 1 for p in self.line]
        if sorted(self.line) == [2, 3]:
            self.line.clear()
        return self._get(), reward, len(self.line) > 8 or sum(self.served) > 12, len(self.served) >= 20, {}


class Phases(gym.Env):
    """Strings and None as state, dicts of constants, module constants, a base class's reset, closures and defaults."""

    ORDER = ("idle", "up", "down")

    def __init__(self, bonus=(0.5, 1.5)):
        self.observation_space, self.action_space = numbers(4), spaces.Discrete(3, start=-1)
        self.bonus = bonus
        self.phase, self.target, self.where, self.pair = "idle", None, 0, (0, 0.0)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.phase, self.target, self.where, self.pair = "idle", None, 0, (0, 0.0)
        return self.view(), {}

    def view(self):
        return np.array(
            [self.where, 0.0 if self.target is None else self.target, self.ORDER.index(self.phase), self.pair[1]], dtype=np.float64
        )

    def next_phase(self, action, options={"calm": 0, "wild": 2}):
        if action < 0:
            return "down"
        return "up" if action > options["calm"] else self.phase if self.target is None else "idle"

    def step(self, action):
        scale = lambda v, by=CALL: v * by  # noqa: E731
        self.phase = self.next_phase(action)
        self.where += STEPS_OF[self.phase]
        if self.target is None:
            if self.np_random.random() < 0.3:
                self.target = self.np_random.normal(0, 6)
        elif abs(self.where - self.target) < 1.5:
            self.target, self.pair = None, (self.pair[0] + 1, scale(self.pair[1] + 4))
        reward = scale(self.where) if self.phase == "up" else scale(by=-0.5, v=self.pair[0])
        low, *_, high = self.bonus
        match_ = {"up": low, "down": high}.get(self.phase, 0)
        return self.view(), float(reward + match_), self.pair[0] > 3, abs(self.where) > 30, {}


class Arithmetic(gym.Env):
    """Python's numbers: division, floor division and remainders of both signs, powers, bools as numbers, rounding, math, bits."""

    def __init__(self):
        self.observation_space, self.action_space = numbers(16), spaces.Discrete(7)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.i = int(self.np_random.integers(-20, 20))
        self.x = self.np_random.uniform(-5, 5)
        self.flags = 0
        self.values = np.zeros(16)
        return self.values, {}

    def step(self, action):
        i, x, a = self.i, self.x, int(action) - 3
        d = a if a != 0 else 2
        q, r = divmod(i, d)
        self.flags = (self.flags << 1 | (i > x)) & 0xFF
        small = min(i, x, 0.5)
        large = max(x, i)
        self.values = np.array(
            [
                i / d,
                i // d,
                i % d,
                -i // 3,
                x % d,
                x // d,
                q * d + r - i + (x > 0) + (i > 0) * 2,
                i**2 + 2 ** abs(a) - (-x) ** 3,
                round(x),
                int(x) + math.floor(x) * 10 + math.ceil(-x),
                math.sqrt(abs(x)) + math.hypot(i, a),
                small * large,
                math.atan2(x, d) + math.exp(-abs(x)) + math.log(1 + x * x),
                float(self.flags ^ 21) + (~i & 7),
                np.tanh(x) + np.sign(i) + x**0.5 if x > 0 else -x,
                abs(i) ** 0.5 + math.fabs(x) + (i == 3) - True,
            ]
        )
        self.i = (i * 5 + action + 3) % 41 - 20
        self.x = (x * 1.7 + i) % 9.5 - 4
        done = self.flags == 0b1010
        return self.values, float(self.values[2] - 1e-3 * self.values[4]), done, not done and i == 7, {}


class Arrays(gym.Env):
    """NumPy on small arrays: reductions along axes, shapes, slices with steps, masks, sorting, products, dtypes."""

    def __init__(self):
        self.observation_space, self.action_space = numbers(43), spaces.MultiDiscrete([3, 6])

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.m = self.np_random.normal(size=(4, 6))
        self.v = self.np_random.uniform(low=[-1, 0, 1], high=[1, 2, 4], size=(3,))
        self.counts = np.zeros(6, dtype=np.uint8)
        return self.summary(), {}

    def summary(self):
        m, v = self.m, self.v
        big = np.hstack([m.ravel(), v, m.flatten()[::2]])
        parts = [
            m.sum(axis=0)[:3],
            m.mean(axis=1),
            [m.min(), m.max(), m.std()],
            np.sort(v),
            [m.argmax(), v.argmin()],
            np.cumsum(v),
            WEIGHTS @ v,
            np.diff(v),
            [np.any(m > 2), np.all(v > -1), np.sum(big), np.prod(v)],
            np.cross(v, v[::-1]),
            np.outer(v, v)[1],
            np.roll(v, 1),
            np.stack([v, v * 2]).T[2],
            np.where(v > 1, v, -v),
            np.interp(v[:1], [0, 1, 3], [5, 2, 4]),
        ]
        return np.concatenate([np.asarray(p, dtype=np.float64) for p in parts] + [self.counts[:2]])

    def step(self, action):
        row, col = action
        top = row % 3
        self.counts[col] += np.uint8(100)
        self.m[row, col] *= -0.5
        self.m[top : top + 2, ::2] += PATTERN[row][:3]
        self.m[:, col] = np.clip(self.m[:, col], -3, 3)
        self.m[self.m > 2.5] = 0.25
        self.m[3] = self.m[0][::-1] - np.float32(0.1)
        self.v[[0, 2]] = self.v[[2, 0]]
        self.v = np.abs(np.dot(self.m[:3, :3], self.v)) / (1 + np.linalg.norm(self.v)) + np.minimum(self.v, 1.0) * 0.5
        a = np.full((2, 3), self.v[1])
        a[1] = self.v
        reward = a.reshape(3, 2).sum(axis=1).max() + np.round(self.v).sum() + np.zeros_like(self.v).sum() + float(np.isfinite(a).all())
        return self.summary(), float(reward), bool(np.max(np.abs(self.v)) > 30), int(self.counts[5]) == 200, {}


class Dice(gym.Env):
    """Every kind of draw, in reset and step, alone and in arrays, where a condition allows it and in loops."""

    def __init__(self):
        self.observation_space, self.action_space = numbers(12), spaces.MultiBinary(3)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        rng = self.np_random
        self.cards = rng.permutation(6)
        self.chances = np.array([0.1, 0.2, 0.3, 0.4])
        self.spot = rng.choice(4, p=self.chances)
        self.noise = rng.standard_normal(3)
        self.turn = 0
        return self.see(), {}

    def see(self):
        return np.concatenate((self.cards, self.noise, [self.spot, self.turn, self.chances[0]]))

    def step(self, action):
        rng = self.np_random
        if action[0] and rng.random() < 0.5:
            rng.shuffle(self.cards)
        for k in range(3):
            if action[1] and self.cards[k] > 2:
                self.noise[k] = rng.normal(self.noise[k] / 2, 0.1 * (k + 1))
        while rng.uniform() < 0.3:
            self.turn += rng.integers(1, 3, endpoint=True)
        self.chances[rng.integers(4)] += 0.25
        self.chances = self.chances / self.chances.sum()
        self.spot = rng.choice([10, 20, 30, 40], p=self.chances)
        if action[2]:
            self.cards[rng.choice(6, size=2, replace=False)] = 5
        bits = rng.integers(0, 2, size=4)
        luck = rng.choice(["bad", "good"])
        self.turn += 1
        return self.see(), float(bits.sum() + (1 if luck == "good" else -1) + rng.uniform(-1, 1, 2).sum()), self.turn > 40, False, {}


class Vehicle(gym.Env):
    """A base class with a reset and helpers of its own."""

    drag = 0.1

    def __init__(self):
        self.action_space = spaces.Box(np.array([-2.0, 0.0]), np.array([2.0, 1.0]), dtype=np.float64)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.speed, self.place = 0.0, self.np_random.uniform(-1, 1)
        return {}, {}

    def slow(self, v):
        return v * (1 - self.drag)

    def rules(self):
        raise NotImplementedError


class Boat(Vehicle):
    """Inheritance, properties, class methods, a Dict as observation, a Tuple in it, try and else."""

    drag = 0.25
    made = 0

    def __init__(self):
        super().__init__()
        self.observation_space = spaces.Dict(
            {"speed": numbers(1), "where": spaces.Tuple((spaces.Discrete(5), numbers(2))), "calm": spaces.Discrete(2)}
        )
        self.wind = None

    @classmethod
    def tide(cls, t):
        return cls.drag * math.sin(t / 4)

    @property
    def moving(self):
        return abs(self.speed) > 0.05

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.time: int = 0
        self.wind = np.float32(self.np_random.normal())
        return self._get_obs(), self._get_info()

    def _get_info(self):
        return {"place": self.place, "text": f"{self.place:.2f}"}

    def _get_obs(self):
        return {
            "speed": np.array([self.speed]),
            "where": (int(np.clip(self.place, 0, 4)), np.array([self.place, self.wind])),
            "calm": int(not self.moving),
        }

    def slow(self, v):
        return super().slow(v) - self.tide(self.time)

    def rules(self):
        return -0.1 if self.moving else 0.2

    def step(self, action):
        push, brake = action
        try:
            size = len(action)
        except TypeError:
            size = 0
        else:
            size += 1
        self.time += 1
        self.speed = self.slow(self.speed + 0.1 * push + 0.01 * self.wind) * (1 - brake / size)
        self.wind = np.float32(0.9) * self.wind + 0.05
        self.place += self.speed
        if self.place > 1e9:
            raise RuntimeError("never")
        return self._get_obs(), self.rules(), not -4 < self.place < 6, self.time >= 50, self._get_info()


HARD = [Branches, Loops, Grid, Arm, Queue, Phases, Arithmetic, Arrays, Dice, Boat]

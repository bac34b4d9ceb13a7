"""The built-in small environments beside the Python classes that they follow, step for step."""
import copy
import importlib.util
from dataclasses import dataclass
from typing import Callable

import numpy as np
import pytest

from orbit_ops import fresh_random
from small_envs import Batch

gymnasium = pytest.importorskip("gymnasium")

STEPS = 10_000


def rl2xla(module, name):
    """A class of the wheel, whose package itself wants JAX."""
    spec = importlib.util.find_spec("rl2xla")
    if spec is None:
        pytest.skip("needs pip install --no-deps rl2xla==0.1.0")
    file = importlib.util.spec_from_file_location(f"rl2xla_{module}", f"{spec.submodule_search_locations[0]}/{module}.py")
    loaded = importlib.util.module_from_spec(file)
    file.loader.exec_module(loaded)
    return getattr(loaded, name)()


def microduck_state(e):
    parts = (e.base_pos, e.base_quat, e.base_lin_vel, e.base_ang_vel, e.joint_pos, e.joint_vel, e.last_action, e.cmd_vel, e.cmd_head,
             e.cmd_body)
    return [float(x) for part in parts for x in part]


@dataclass
class Case:
    name: str                  # ours
    make: Callable             # the official one, with its time limit
    state: Callable            # official -> list of numbers in the order of our fields
    draws: int                 # random numbers of a reset
    # Worst difference of one step, relative to the larger of 1 and the number.
    exact: float = 1e-14       # in double: sine and cosine of NumPy and glibc differ in the last bit
    single: float = 1e-6       # in float: a few last bits
    along: float = 1e-6        # of whole episodes: an unstable system doubles a last bit every few steps
    along_double: bool = True  # False: whole episodes in float, where the official state is float32 and unstable
    reset_exact: float = 0.0   # in double
    reward_exact: float = 0.0  # in double, where it is more than `exact`


# Where the official state is float32 (of pendulum: a term of the reward), ours in double keeps digits that the official one drops, one rounding a sum.
CASES = [
    Case("cartpole", lambda: gymnasium.make("CartPole-v1"), lambda e: list(e.state), draws=4),
    Case("acrobot", lambda: gymnasium.make("Acrobot-v1"), lambda e: list(e.state), draws=4, exact=1e-13, single=5e-5),
    Case("mountain_car", lambda: gymnasium.make("MountainCar-v0"), lambda e: list(e.state), draws=1),
    Case("mountain_car_continuous", lambda: gymnasium.make("MountainCarContinuous-v0"), lambda e: list(e.state), draws=1, exact=1.5e-7,
         along=2e-5),
    Case("pendulum", lambda: gymnasium.make("Pendulum-v1"), lambda e: list(e.state), draws=2, exact=1e-13, single=1e-5,
         reward_exact=3e-10),
    Case("push_cube", lambda: rl2xla("env", "PushCubeEnv"), lambda e: [float(x) for x in (*e.state[:2], *e.state[4:])], draws=6, exact=3e-7,
         along=2e-5),
    Case("nav", lambda: rl2xla("test_env", "NavEnv"), lambda e: [e.x, e.y, e.vx, e.vy], draws=2, exact=1e-14),
    # The joints' accelerations, 1e4 rad/s^2 a radian, magnify a last bit of a position; over an episode nothing is left of it, and
    # only its flags are compared.
    Case("microduck", lambda: rl2xla("microduck_env", "MicroduckWalkEnv"), microduck_state, draws=31, exact=2e-4, single=2e-4,
         along=np.inf, along_double=False, reset_exact=1e-7),
]


@pytest.fixture(params=CASES, ids=lambda c: c.name)
def case(request):
    return request.param


def official_reset(env, case):
    """Resets, and returns the numbers that its generator gave."""
    given = copy.deepcopy(env.unwrapped.np_random).random(case.draws)
    observation, _ = env.reset()
    return given, observation


@dataclass
class Step:
    before: list
    elapsed: int
    action: np.ndarray
    after: list
    observation: np.ndarray
    reward: float
    terminated: bool
    truncated: bool


def official_steps(case, random, count):
    """Steps of random actions, with resets where an episode ends. Some actions last, or random play would stay near the start."""
    env = case.make()
    env.reset(seed=random.randrange(2**31))
    env.action_space.seed(random.randrange(2**31))
    steps, elapsed = [], 0
    for _ in range(count):
        if not steps or random.random() < 0.5:
            action = env.action_space.sample()
        before = copy.deepcopy(case.state(env.unwrapped))
        observation, reward, terminated, truncated, _ = env.step(action)
        steps.append(Step(before, elapsed, np.copy(action), copy.deepcopy(case.state(env.unwrapped)), np.copy(observation), float(reward),
                          bool(terminated), bool(truncated) and not terminated))
        elapsed += 1
        if terminated or truncated:
            env.reset()
            elapsed = 0
    return steps


def assert_close(found, expected, tolerance, what):
    """Relative to the larger of 1 and the number; prints the worst element."""
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    difference = np.abs(found - expected) / np.maximum(1, np.abs(expected))
    worst = np.unravel_index(np.argmax(difference), difference.shape)
    assert difference[worst] <= tolerance, f"{what} {worst}: {found[worst]!r}, expected {expected[worst]!r} (tolerance {tolerance})"


@pytest.mark.parametrize("in_double", [True, False], ids=["double", "float"])
def test_each_step_is_the_official_one(case, in_double):
    steps = official_steps(case, fresh_random(), STEPS)
    tolerance = case.exact if in_double else case.single
    batch = Batch(case.name, len(steps), in_double)
    batch.reset()
    batch.set_state(np.transpose([s.before for s in steps]))
    batch.length.copy_(batch.length.new_tensor([s.elapsed for s in steps]))
    batch.step([s.action for s in steps])

    expected = [np.array([getattr(s, name) for s in steps]) for name in ("terminated", "truncated")]
    flags = [batch.terminated.numpy(), batch.truncated.numpy()]
    if in_double:
        assert np.array_equal(flags, expected)
    else:  # rounded to float, a state may fall on the other side of a limit
        assert np.sum(np.not_equal(flags, expected)) <= 2
    on = ~np.logical_or(*expected) & ~np.logical_or(*flags)
    off = np.logical_or(*expected) & np.logical_or(*flags)
    assert on.any() and off.any()
    assert_close(batch.state().numpy()[:, on], np.transpose([s.after for s in steps])[:, on], tolerance, "state")
    # The observation is float on both sides: half a last bit more.
    observations = np.array([s.observation for s in steps])
    assert_close(batch.observation.numpy()[on], observations[on], tolerance + 1.2e-7, "observation")
    assert_close(batch.final_observation.numpy()[off], observations[off], tolerance + 1.2e-7, "final observation")
    assert_close(batch.reward.numpy(), [s.reward for s in steps], max(tolerance, case.reward_exact), "reward")
    assert not batch.faults()


def test_resets_are_the_official_ones(case):
    random, env = fresh_random(), case.make()
    env.reset(seed=random.randrange(2**31))
    given, states, observations = [], [], []
    for _ in range(200):
        draws, observation = official_reset(env, case)
        given.append(draws), states.append(case.state(env.unwrapped)), observations.append(observation)
    for in_double, tolerance in ((True, 0.0), (False, 1e-7)):
        batch = Batch(case.name, len(given), in_double)
        batch.reset(given)
        assert_close(batch.state().numpy(), np.transpose(states), max(tolerance, case.reset_exact), "state")
        assert_close(batch.observation.numpy(), observations, tolerance + 1.2e-7, "observation")
        assert not batch.faults()


def test_whole_episodes_are_the_official_ones(case):
    """One after the other, with the resets between them, and never set right in between."""
    random, env = fresh_random(), case.make()
    env.reset(seed=random.randrange(2**31))
    env.action_space.seed(random.randrange(2**31))
    batch = Batch(case.name, 1, case.along_double)
    given, _ = official_reset(env, case)
    batch.reset([given])
    length, ret = 0, 0.0
    for step in range(2000):
        action = env.action_space.sample()
        observation, reward, terminated, truncated, _ = env.step(action)
        length, ret = length + 1, ret + float(reward)
        last, seen = observation, batch.observation
        if terminated or truncated:
            given, observation = official_reset(env, case)
            seen = batch.final_observation
        batch.step(action, [given])
        where = f"step {step}"
        assert batch.terminated.item() == terminated and batch.truncated.item() == (truncated and not terminated), where
        assert_close(seen[0].numpy(), last, case.along, where)
        assert_close(batch.observation[0].numpy(), observation, case.along, where)
        if terminated or truncated:
            assert batch.final_length.item() == length, where
            assert abs(batch.final_return.item() - ret) <= max(1e-5, case.along) * max(1, abs(ret)), where
            length, ret = 0, 0.0
    assert not batch.faults()

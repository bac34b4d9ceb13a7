"""The Python environment that is converted: found by id or MODULE:CLASS, made, and watched while it runs."""

import copy
import importlib
import importlib.util
import math
import os
import sys

import numpy as np

from .messages import ConversionError

COMPILED = {
    "gymnasium.envs.mujoco": "its physics is MuJoCo, a C library",
    "gymnasium.envs.box2d": "its physics is Box2D, a C++ library",
    "ale_py": "it is an Atari emulator in C++",
    "gymnasium.envs.phys2d": "it is written for JAX, not for NumPy",
    "gymnasium.envs.tabular": "it is written for JAX, not for NumPy",
}


def find(target, arguments):
    """(environment without wrappers, time limit in steps or 0, name for the kernel)."""
    if ":" in target:
        return from_class(target, arguments)
    return from_id(target, arguments)


def from_class(target, arguments):
    module_name, _, class_name = target.rpartition(":")
    sys.path.insert(0, os.getcwd())
    try:
        module = from_file(module_name) if module_name.endswith(".py") else importlib.import_module(module_name)
    except FileNotFoundError:
        raise ConversionError(f"{target}: there is no file {module_name}") from None
    except ModuleNotFoundError as e:
        raise ConversionError(
            f"{target}: there is no module {e.name}; write MODULE:CLASS as Python imports it, or install what is missing"
        ) from None
    except Exception as e:
        raise ConversionError(f"{target}: importing it fails with {type(e).__name__}: {e}") from None
    cls = getattr(module, class_name, None)
    if cls is None:
        raise ConversionError(f"{target}: {module_name} has no {class_name}")
    if not isinstance(cls, type) or not hasattr(cls, "step") or not hasattr(cls, "reset"):
        raise ConversionError(f"{target}: it is no class with reset and step")
    refuse_compiled(cls)
    return make(target, cls, arguments), 0, snake_case(class_name)


def from_file(path):
    """A module from its file, whatever package it lies in."""
    spec = importlib.util.spec_from_file_location(os.path.basename(path).removesuffix(".py"), path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def from_id(target, arguments):
    import gymnasium

    try:
        spec = gymnasium.spec(target)
    except Exception as e:
        raise ConversionError(f"{target}: {str(e).splitlines()[0]} (a class is written MODULE:CLASS)") from None
    entry = spec.entry_point
    if isinstance(entry, str):
        for module, why in COMPILED.items():
            if entry.startswith(module):
                raise ConversionError(f"{target} can't be converted: {why}, and there is no Python source of its rules")
    try:
        env = gymnasium.make(target, **arguments)
    except Exception as e:
        raise ConversionError(f"{target}: making it fails with {type(e).__name__}: {str(e).splitlines()[0] if str(e) else ''}") from None
    refuse_compiled(type(env.unwrapped))
    return env.unwrapped, spec.max_episode_steps or 0, snake_case(spec.id.split("/")[-1])


def refuse_compiled(cls):
    for base in cls.__mro__:
        for module, why in COMPILED.items():
            if base.__module__.startswith(module):
                raise ConversionError(f"{cls.__name__} can't be converted: {why}, and there is no Python source of its rules")


def make(target, cls, arguments):
    try:
        return cls(**arguments)
    except Exception as e:
        raise ConversionError(f"{target}: its constructor fails with {type(e).__name__}: {e} (arguments: --set NAME=VALUE)") from None


def snake_case(name):
    out = ""
    for i, c in enumerate(name):
        if c.isupper() and i and (name[i - 1].islower() or name[i - 1].isdigit() or i + 1 < len(name) and name[i + 1].islower()):
            out += "_"
        out += c.lower() if c.isalnum() else "_"
    out = "_".join(p for p in out.split("_") if p)
    return out.removesuffix("_env") or out


class Spaces:
    """Sizes and bounds of actions and observations."""

    def __init__(self, env):
        from gymnasium import spaces

        for which in ("action_space", "observation_space"):
            if getattr(env, which, None) is None:
                raise ConversionError(f"the environment has no {which} after its constructor")
        a = env.action_space
        self.action_space, self.start = a, 0
        if isinstance(a, spaces.Discrete):
            self.kind, self.actions, self.start = "kDiscrete", [(0, int(a.n) - 1)], int(a.start)
        elif isinstance(a, spaces.MultiDiscrete) and a.nvec.ndim == 1:
            self.kind, self.actions = "kMultiDiscrete", [(0, int(n) - 1) for n in a.nvec]
        elif isinstance(a, spaces.MultiBinary) and len(a.shape) == 1:
            self.kind, self.actions = "kMultiDiscrete", [(0, 1)] * a.shape[0]
        elif isinstance(a, spaces.Box) and a.dtype.kind == "f":
            self.kind, self.actions = "kContinuous", list(zip(a.low.ravel().tolist(), a.high.ravel().tolist()))
        else:
            raise ConversionError(f"the action space {a} has no kind here: Discrete, MultiDiscrete, MultiBinary and Box of floats do")
        self.observation_space = env.observation_space
        self.observations = self.bounds_of(env.observation_space)

    def bounds_of(self, space):
        from gymnasium import spaces

        if isinstance(space, spaces.Discrete):
            return [(int(space.start), int(space.start + space.n) - 1)]
        if isinstance(space, spaces.MultiDiscrete):
            return [(0, int(n) - 1) for n in space.nvec.ravel()]
        if isinstance(space, spaces.MultiBinary):
            return [(0, 1)] * int(np.prod(space.shape))
        if isinstance(space, spaces.Box):
            return list(zip(space.low.ravel().tolist(), space.high.ravel().tolist()))
        if isinstance(space, spaces.Tuple):
            return [b for s in space.spaces for b in self.bounds_of(s)]
        if isinstance(space, spaces.Dict):
            return [b for s in space.spaces.values() for b in self.bounds_of(s)]
        raise ConversionError(
            f"the observation space {space} has no kind here: Discrete, MultiDiscrete, MultiBinary, Box, and Tuple and Dict of these do"
        )


def flat_observation(space, value):
    """Numbers of an official observation in our order."""
    from gymnasium import spaces

    if isinstance(space, spaces.Tuple):
        return [x for s, v in zip(space.spaces, value) for x in flat_observation(s, v)]
    if isinstance(space, spaces.Dict):
        return [x for k, s in space.spaces.items() for x in flat_observation(s, value[k])]
    return np.asarray(value, np.float64).ravel().tolist()


def snapshot(env):
    kept = {}
    for name, value in vars(env).items():
        if isinstance(value, (int, float, bool, str, bytes, np.generic, np.ndarray, tuple, list)) or value is None:
            try:
                kept[name] = copy.deepcopy(value)
            except Exception:
                continue
    return kept


def equal(a, b):
    if type(a) is not type(b):
        return False
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=a.dtype.kind == "f"))
    if isinstance(a, (tuple, list)):
        return len(a) == len(b) and all(map(equal, a, b))
    if isinstance(a, float) and math.isnan(a):
        return math.isnan(b)
    return bool(a == b)


class Probe:
    """What changes while the environment plays at random: `changing` names, and `carried`: those that reset does not set back."""

    def __init__(self, env, episodes=4, steps=60):
        self.changing, self.carried = set(), set()
        env.action_space.seed(0)
        try:
            env.reset(seed=0)
            first = snapshot(env)
            before = first
            for episode in range(episodes):
                for _ in range(steps):
                    result = env.step(env.action_space.sample())
                    if not isinstance(result, tuple) or len(result) != 5:
                        raise ConversionError("step does not return (observation, reward, terminated, truncated, info)")
                    _, _, terminated, truncated, _ = result
                    now = snapshot(env)
                    self.changing |= {n for n in now if n not in before or not equal(now[n], before[n])}
                    before = now
                    if terminated or truncated:
                        break
                env.reset(seed=0)
                again = snapshot(env)
                self.carried |= {n for n in first if n in again and not equal(first[n], again[n])}
                env.reset(seed=episode + 1)
                now = snapshot(env)
                self.changing |= {n for n in now if n not in first or not equal(now[n], first[n])}
                before = now
        except ConversionError:
            raise
        except Exception as e:
            raise ConversionError(f"playing it at random fails with {type(e).__name__}: {e}") from None
        self.changing -= {"_np_random", "np_random", "_np_random_seed"}
        self.carried -= {"_np_random", "np_random", "_np_random_seed"}

"""PPO on any NumPy Gymnasium environment in three lines, with the names of the package rl2xla:

    from orbit_train.rl2xla import PPOConfig, compile_ppo
    trainer = compile_ppo("MountainCarContinuous-v0", hidden=(64, 64))
    result = trainer.train(PPOConfig(num_envs=256, updates=300), seed=0)
    print(f"{result['wall_time_s']:.1f}s, {result['steps_per_second']:,} steps/s")

The environment's Python becomes a native kernel (scripts/gym_to_kernel), kept in a cache; the program orbit_train then trains on it
and leaves a run folder with weights that torch.load reads. Needs this repository, built: the folder that this file lies in, or the
one that ORBIT_TRAIN_HOME names.
"""

import ast
import hashlib
import inspect
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

# Registered ids that stand for a native task: no conversion needed, and faster, since their author wrote them for SIMD.
NATIVE = {
    "CartPole-v1": "cartpole",
    "Acrobot-v1": "acrobot",
    "MountainCar-v0": "mountain_car",
    "MountainCarContinuous-v0": "mountain_car_continuous",
    "Pendulum-v1": "pendulum",
}
# Set while the converter runs, which imports the user's script: one that trains when imported would start itself again.
CONVERTING = "ORBIT_TRAIN_CONVERTING"


class ConversionError(ValueError):
    """The environment can't be made a kernel; the message says where and why."""


class PPOConfig(NamedTuple):
    """rl2xla's settings with its defaults, then what it lacks. All others: settings of PPOTrainer.train."""

    num_envs: int = 16
    horizon: int = 128  # steps of each environment an update
    updates: int = 300  # rollouts, each learned from
    epochs: int = 4
    minibatch_size: int = 256
    gamma: float = 0.99
    lam: float = 0.95
    clip_ratio: float = 0.2
    lr: float = 3e-4
    value_coef: float = 0.5
    entropy_coef: float = 0.01
    observation_norm: bool = True  # both make the same settings learn tasks of other scales
    reward_norm: bool = True
    threads: int = 1


def home():
    """The repository."""
    named = os.environ.get("ORBIT_TRAIN_HOME")
    folder = Path(named) if named else Path(__file__).resolve().parents[2]
    if not (folder / "scripts" / "gym_to_kernel.py").is_file():
        raise FileNotFoundError(f"{folder}: not the orbit_train repository; set ORBIT_TRAIN_HOME to its folder")
    return folder


def program():
    """The trainer."""
    path = Path(os.environ.get("ORBIT_BUILD_DIR", home() / "build")) / "bin" / "orbit_train"
    if not path.is_file():
        raise FileNotFoundError(f"{path}: no such program; build it with {home()}/scripts/setup.sh programs")
    return path


def _run(command, mistake=ValueError, **options):
    """Runs it. Where it fails, its complaint is an exception's: `mistake` where it calls its input wrong (exit code 2)."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        complaint = (done.stderr.strip() or done.stdout.strip()).splitlines()[-20:]
        kind = mistake if done.returncode == 2 else RuntimeError
        raise kind("\n".join(complaint) or f"{command[0]} ended with exit code {done.returncode}")


def _target(cls):
    """A class as the converter is to find it: MODULE:CLASS or FILE.py:CLASS."""
    if cls.__qualname__ != cls.__name__:
        raise ConversionError(f"{cls.__qualname__}: a class inside of a function or a class can't be found again; define it in a module")
    if cls.__module__ != "__main__":
        return f"{cls.__module__}:{cls.__name__}"
    try:
        return f"{os.path.abspath(inspect.getsourcefile(cls))}:{cls.__name__}"
    except TypeError:
        raise ConversionError(f"{cls.__name__}: defined without a file; put it into a module") from None


def _described(env, time_limit, arguments):
    """(id or target, time limit, constructor's arguments) of whatever compile_ppo was given."""
    if isinstance(env, str):
        return env, time_limit, arguments
    if inspect.isclass(env):
        return _target(env), time_limit, arguments
    spec = getattr(env, "spec", None)
    if spec is None:
        return _target(type(getattr(env, "unwrapped", env))), time_limit, arguments
    given = {name: value for name, value in spec.kwargs.items() if name != "render_mode"}
    return spec.id, spec.max_episode_steps if time_limit is None else time_limit, given | arguments


def _literal(name, value):
    """NAME=VALUE as the converter reads it."""
    try:
        if ast.literal_eval(repr(value)) == value:
            return f"{name}={value!r}"
    except (ValueError, SyntaxError):
        pass
    raise ConversionError(f"{name}={value!r}: the constructor is called anew, so its arguments are to be numbers, texts or lists of them")


def _cache(source, cuda):
    """The folder of a library made from this header: another one for other source, or for another version of what it is built with."""
    parts = [source, *sorted((home() / "envs/common").glob("*.h")), *sorted((home() / "extensions").glob("env_*.h"))]
    key = hashlib.sha256(str(home()).encode())
    for part in parts:
        key.update(part.read_bytes())
    root = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return root / "orbit_train" / f"{source.stem}-{key.hexdigest()[:16]}{'-cuda' * cuda}"


def _library(target, time_limit, arguments, cuda):
    """(name, library) of the converted environment, from the cache where the same source was built before."""
    limit = [] if time_limit is None else ["--time-limit", time_limit]
    sets = [word for name, value in arguments.items() for word in ("--set", _literal(name, value))]
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own: the converter plays the environment and changes what it imports.
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(p or "." for p in sys.path), CONVERTING: "1"}
        command = [sys.executable, home() / "scripts/gym_to_kernel.py", target, "--out", folder, *limit, *sets]
        _run(command, ConversionError, env=environment)
        source = next(Path(folder).glob("*.h"))
        kept = _cache(source, cuda)
        library = kept / f"{source.stem}.so"
        if not library.exists():
            build = Path(folder) / "build"
            _run(["cmake", "-S", folder, "-B", build, f"-DORBIT_CUDA={'ON' if cuda else 'OFF'}"])
            _run(["cmake", "--build", build])
            kept.mkdir(parents=True, exist_ok=True)
            with tempfile.NamedTemporaryFile(dir=kept, delete=False) as half:
                shutil.copyfile(build / library.name, half.name)
            os.replace(half.name, library)  # at once, so that nobody loads half a library
        return source.stem, library


def compile_ppo(env, hidden=(64, 64), *, activation="tanh", shared=False, squash=False, time_limit=None, device="cpu", **arguments):
    """A trainer for an environment: a registered id, MODULE:CLASS, or a class or instance of gymnasium.Env, which is made anew, with
    `arguments` for its constructor.

    hidden: widths of the network's hidden layers. shared: actor and critic have them in common. squash: continuous actions through tanh
    into their bounds; else the environment clips them. time_limit: steps, 0 for none (default: the id's). device: cpu or cuda."""
    if os.environ.get(CONVERTING):
        raise RuntimeError('the environment\'s file trains when it is imported; put that below `if __name__ == "__main__":`')
    target, time_limit, arguments = _described(env, time_limit, arguments)
    if target in NATIVE and not arguments:
        name, library = NATIVE[target], None
    else:
        name, library = _library(target, time_limit, arguments, device == "cuda")
    model = {"hidden_sizes": list(hidden), "activation": activation, "trunk": "shared" if shared else "separate", "squash": squash}
    return PPOTrainer(name, library, model, time_limit, device)


class PPOTrainer:
    """Made by compile_ppo."""

    def __init__(self, environment, library, model, time_limit, device):
        self.environment, self.library, self.model, self.device = environment, library, model, device
        self.time_limit = time_limit

    def config(self, cfg, seed, run_dir):
        """The settings of orbit_train, as its YAML file has them."""
        environment = {"name": self.environment}
        if self.library:
            environment["library"] = str(self.library)
        if self.time_limit is not None:
            environment["time_limit"] = self.time_limit
        return {
            "environment": environment,
            "model": {"kind": "mlp", "mlp": self.model},
            "training": {
                "seed": seed,
                "iterations": cfg.updates,
                "episodes_per_iter": cfg.num_envs,
                "horizon": cfg.horizon,
                "ppo_epochs": cfg.epochs,
                "minibatch_size": cfg.minibatch_size,
                "gamma": cfg.gamma,
                "gae_lambda": cfg.lam,
                "clip_eps": cfg.clip_ratio,
                "lr": cfg.lr,
                "weight_decay": 0.0,
                "value_coef": cfg.value_coef,
                "entropy_coef": cfg.entropy_coef,
                "advantage_norm": "minibatch",
                "observation_norm": cfg.observation_norm,
                "reward_norm": cfg.reward_norm,
            },
            "evaluation": {"every": cfg.updates, "games": 100},
            "device": {"type": self.device, "threads": cfg.threads},
            "output": {"run_dir": str(run_dir), "run_name": "run", "save_every": cfg.updates, "tensorboard": False},
        }

    def train(self, config=PPOConfig(), seed=0, *, run_dir=None, settings=None):
        """Trains, and returns a dict: wall_time_s of all updates and steps_per_second in them (neither conversion nor evaluation),
        total_steps, evaluation_return (the greedy policy's mean over 100 episodes), weights (a .pt file), run_folder.

        settings: more of orbit_train's by their path, as {"training.lr_end": 1e-5}. run_dir: a new folder in it holds the run (default:
        in the system's folder for temporary files)."""
        if run_dir is not None:
            Path(run_dir).mkdir(parents=True, exist_ok=True)
        folder = Path(tempfile.mkdtemp(prefix=f"{self.environment}-", dir=run_dir)).resolve()
        written = folder / "config.yaml"
        written.write_text(json.dumps(self.config(config, seed, folder), indent=2))  # JSON is YAML
        more = [word for path, value in (settings or {}).items() for word in ("--set", f"{path}={json.dumps(value)}")]
        _run([program(), "--config", written, *more])
        run = folder / "run"
        rows = [json.loads(line) for line in (run / "metrics.json").read_text().splitlines()]
        seconds, steps = sum(row["time_iteration"] for row in rows), rows[-1]["samples"]
        return {
            "wall_time_s": round(seconds, 2),
            "steps_per_second": round(steps / seconds),
            "total_steps": steps,
            "evaluation_return": rows[-1]["evaluation_return"],
            "weights": str(run / "best.pt"),
            "run_folder": str(run),
        }

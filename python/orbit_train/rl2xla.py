"""PPO on any NumPy Gymnasium environment in three lines, with the names of the package rl2xla:

    from orbit_train.rl2xla import PPOConfig, compile_ppo
    trainer = compile_ppo("MountainCarContinuous-v0", hidden=(64, 64))
    result = trainer.train(PPOConfig(num_envs=256, updates=300), seed=0)
    print(f"{result['wall_time_s']:.1f}s, {result['steps_per_second']:,} steps/s")

The environment's Python becomes a native kernel (scripts/gym_to_kernel), kept in a cache; the program orbit_train then trains on it
and leaves a run folder with weights that torch.load reads. Needs this repository, built: the folder that this file lies in, or the
one that ORBIT_TRAIN_HOME names.
"""

import hashlib
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple, Optional

# Those of the native tasks that an id stands for: no conversion needed, and faster where their author wrote them for SIMD.
NATIVE = {
    "CartPole-v1": "cartpole",
    "Acrobot-v1": "acrobot",
    "MountainCar-v0": "mountain_car",
    "MountainCarContinuous-v0": "mountain_car_continuous",
    "Pendulum-v1": "pendulum",
}


class PPOConfig(NamedTuple):
    """rl2xla's settings with its defaults, then what it lacks. Any other one: PPOTrainer.train(..., settings={"training.lr_end": 1e-5})."""

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


def _run(command, **options):
    """Runs it; where it fails, its complaint is the exception's."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
    if done.returncode != 0:
        complaint = (done.stderr.strip() or done.stdout.strip()).splitlines()
        raise RuntimeError("\n".join(complaint[-20:]) or f"{command[0]} ended with exit code {done.returncode}")
    return done.stdout


def _target(env):
    """What the converter is to be given: a registered id, or the class of an environment as FILE.py:CLASS or MODULE:CLASS."""
    if isinstance(env, str):
        return env
    cls = env if inspect.isclass(env) else type(getattr(env, "unwrapped", env))
    if cls.__qualname__ != cls.__name__:
        raise ValueError(f"{cls.__qualname__}: a class inside of a function or a class can't be found again; define it in a module")
    if cls.__module__ == "__main__":
        return f"{inspect.getsourcefile(cls)}:{cls.__name__}"
    return f"{cls.__module__}:{cls.__name__}"


def _library(env, time_limit, arguments, cuda):
    """(name, library) of the converted environment, from the cache where the same source was built before."""
    limit = [] if time_limit is None else ["--time-limit", time_limit]
    sets = [word for name, value in arguments.items() for word in ("--set", f"{name}={value!r}")]
    with tempfile.TemporaryDirectory() as folder:
        # In a process of its own: the converter plays the environment and changes what it imports.
        paths = {**os.environ, "PYTHONPATH": os.pathsep.join(p or "." for p in sys.path)}
        _run([sys.executable, home() / "scripts/gym_to_kernel.py", _target(env), "--out", folder, *limit, *sets], env=paths)
        source = next(Path(folder).glob("*.h"))
        contract = (home() / "envs/common/env_contract.h").read_bytes() + (home() / "extensions/env_table.h").read_bytes()
        key = hashlib.sha256(source.read_bytes() + contract + str(home()).encode()).hexdigest()[:16]
        kept = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "orbit_train" / f"{source.stem}-{key}{'-cuda' * cuda}"
        library = kept / f"{source.stem}.so"
        if not library.exists():
            build = Path(folder) / "build"
            _run(["cmake", "-S", folder, "-B", build, f"-DORBIT_CUDA={'ON' if cuda else 'OFF'}"])
            _run(["cmake", "--build", build])
            kept.mkdir(parents=True, exist_ok=True)
            half = Path(tempfile.mkstemp(dir=kept)[1])
            shutil.copy(build / library.name, half)
            half.replace(library)  # at once, so that nobody loads half a library
        return source.stem, library


def compile_ppo(env, hidden=(64, 64), *, activation="tanh", shared=False, squash=None, time_limit=None, device="cpu", **arguments):
    """A trainer for an environment: a registered id, MODULE:CLASS, or a class or instance of gymnasium.Env (made anew, with `arguments`
    for its constructor). hidden: widths of the network's hidden layers; shared: actor and critic have them in common; squash: actions
    through tanh into their bounds (default: no, the environment clips). time_limit: steps, 0 for none (default: the id's)."""
    if isinstance(env, str) and env in NATIVE and not arguments:
        name, library = NATIVE[env], None
    else:
        name, library = _library(env, time_limit, arguments, device == "cuda")
    model = {"hidden_sizes": list(hidden), "activation": activation, "trunk": "shared" if shared else "separate", "squash": bool(squash)}
    return PPOTrainer(name, library, model, time_limit, device)


class PPOTrainer:
    """Made by compile_ppo."""

    def __init__(self, environment, library, model, time_limit, device):
        self.environment, self.library, self.model, self.device = environment, library, model, device
        self.time_limit = time_limit

    def config(self, cfg, seed, run_dir, settings):
        """The settings of orbit_train, as its YAML file has them."""
        c = {
            "environment": {"name": self.environment},
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
        if self.library:
            c["environment"]["library"] = str(self.library)
        if self.time_limit is not None:
            c["environment"]["time_limit"] = self.time_limit
        for path, value in settings.items():
            section, key = path.split(".", 1)
            c[section][key] = value
        return c

    def train(self, cfg: PPOConfig = PPOConfig(), seed=0, run_dir: Optional[str] = None, settings={}):
        """Trains, and returns a dict: wall_time_s of all updates and steps_per_second in them (neither conversion nor evaluation),
        total_steps, evaluation_return (the greedy policy's mean over 100 episodes), weights (a .pt file), run_folder. settings: others of
        orbit_train by their path, as {"training.lr_end": 1e-5}. run_dir: where the run folder goes (default: a new temporary folder)."""
        run_dir = Path(run_dir or tempfile.mkdtemp(prefix=f"orbit_train-{self.environment}-"))
        run_dir.mkdir(parents=True, exist_ok=True)
        config = run_dir / f"{re.sub('[^a-z0-9_]', '_', self.environment)}.yaml"
        config.write_text(json.dumps(self.config(cfg, seed, run_dir, settings), indent=2))  # JSON is YAML
        _run([program(), "--config", config])
        folder = run_dir / "run"
        rows = [json.loads(line) for line in (folder / "metrics.json").read_text().splitlines()]
        seconds, steps = sum(row["time_iteration"] for row in rows), rows[-1]["samples"]
        return {
            "wall_time_s": round(seconds, 3),
            "steps_per_second": round(steps / seconds),
            "total_steps": steps,
            "evaluation_return": rows[-1]["evaluation_return"],
            "weights": str(folder / "best.pt"),
            "run_folder": str(folder),
        }

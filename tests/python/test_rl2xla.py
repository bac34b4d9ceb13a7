"""orbit_train.rl2xla: PPO on any environment in three lines of Python."""
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from training_runs import ROOT

gymnasium = pytest.importorskip("gymnasium")
sys.path.insert(0, str(ROOT / "python"))
import converter_refused  # noqa: E402
from orbit_train import rl2xla  # noqa: E402
from orbit_train.rl2xla import ConversionError, PPOConfig, compile_ppo  # noqa: E402

TINY = PPOConfig(num_envs=4, horizon=16, updates=3, minibatch_size=32)
WALK = '''
import sys
import gymnasium
import numpy as np
from orbit_train.rl2xla import PPOConfig, compile_ppo


class Walk(gymnasium.Env):
    """To the right end of a line; `places` long."""

    def __init__(self, places=8):
        self.places = places
        self.observation_space = gymnasium.spaces.Box(0, 1, (1,), np.float32)
        self.action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        super().reset(seed=seed)
        self.place = int(self.np_random.integers(0, self.places - 1))
        return np.array([self.place / self.places], np.float32), {}

    def step(self, action):
        self.place = max(0, self.place + (1 if action == 1 else -1))
        return np.array([self.place / self.places], np.float32), -1.0, self.place >= self.places - 1, False, {}


'''
TRAINS = '''
trainer = compile_ppo(Walk, hidden=(16,), time_limit=50, places=6)
result = trainer.train(PPOConfig(num_envs=8, horizon=32, updates=60, minibatch_size=64, lr=3e-3), run_dir="runs of it")
print(result["evaluation_return"], result["weights"], trainer.library, sep="\\n")
'''


def test_a_native_task_gives_the_results_that_rl2xla_gives_and_weights(tmp_path):
    result = compile_ppo("CartPole-v1", hidden=(8, 8)).train(TINY, seed=5, run_dir=tmp_path, settings={"training.value_coef": 0.125})
    assert {"wall_time_s", "steps_per_second", "total_steps"} <= result.keys(), "rl2xla's, but its params: see weights"
    assert result["total_steps"] == 3 * 4 * 16 and type(result["steps_per_second"]) is int and result["steps_per_second"] > 0
    lines = (Path(result["run_folder"]) / "metrics.json").read_text().splitlines()
    rows = [json.loads(line) for line in lines]
    assert result["wall_time_s"] == round(sum(row["time_iteration"] for row in rows), 2) and len(rows) == 3
    assert result["evaluation_return"] == rows[-1]["evaluation_return"] >= 8
    assert Path(result["weights"]).is_relative_to(tmp_path)
    state = torch.load(result["weights"], weights_only=True)
    assert any(value.shape == (8, 8) for name, value in state.items() if name.startswith("actor"))
    settings = (Path(result["run_folder"]) / "config.yaml").read_text()
    for line in ("name: cartpole", "seed: 5", "value_coef: 0.125", "episodes_per_iter: 4", "iterations: 3"):
        assert re.search(rf"^\s*{line}\b", settings, re.MULTILINE), line


def test_every_setting_of_ppo_config_reaches_the_trainer(tmp_path):
    """Each is given a value of its own; the run's config must hold it."""
    odd = PPOConfig(num_envs=3, horizon=20, updates=1, epochs=5, minibatch_size=30, gamma=0.875, lam=0.625, clip_ratio=0.1875, lr=0.0078125,
                    value_coef=0.375, entropy_coef=0.03125, observation_norm=False, reward_norm=False, threads=2)
    assert all(a != b for a, b in zip(odd, PPOConfig(), strict=True)), "a setting that was left at its default shows nothing"
    trainer = compile_ppo("Pendulum-v1", hidden=(8,), shared=True, squash=True, activation="relu", time_limit=33)
    settings = (Path(trainer.train(odd, run_dir=tmp_path)["run_folder"]) / "config.yaml").read_text()
    named = {"num_envs": "episodes_per_iter", "updates": "iterations", "epochs": "ppo_epochs", "lam": "gae_lambda",
             "clip_ratio": "clip_eps"}
    expected = {named.get(field, field): value for field, value in odd._asdict().items()}
    expected |= {"activation": "relu", "trunk": "shared", "squash": True, "time_limit": 33, "hidden_sizes": "[8]"}
    for key, value in expected.items():
        found = re.search(rf"^\s*{key}: (\S+)", settings, re.MULTILINE).group(1)
        assert found == str(value).lower() or float(found) == value, (key, found, value)


def test_seeds_count(tmp_path):
    trainer = compile_ppo("MountainCar-v0", hidden=(8,))
    weights = [torch.load(trainer.train(TINY, seed=seed, run_dir=tmp_path)["weights"], weights_only=True) for seed in (1, 1, 2)]
    same = [all(torch.equal(weights[0][name], other[name]) for name in weights[0]) for other in weights[1:]]
    assert same == [True, False]


def script_environment(cache):
    return {**os.environ, "PYTHONPATH": str(ROOT / "python"), "XDG_CACHE_HOME": str(cache)}


def test_a_users_class_is_converted_trained_and_kept_in_folders_with_spaces(tmp_path):
    folder, cache = tmp_path / "my project", tmp_path / "a cache"
    folder.mkdir()
    script = folder / "my walk.py"
    script.write_text(WALK + 'if __name__ == "__main__":\n' + "    ".join(TRAINS.splitlines(keepends=True)))

    def run(**more):
        done = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=folder, timeout=300,
                              env=script_environment(cache) | more)
        assert done.returncode == 0, done.stderr
        reached, weights, library = done.stdout.splitlines()
        return float(reached), weights, library

    reached, weights, library = run()
    # Starts are 0 to 4 of 6 places and the end is place 5: 3 steps in the mean, and a policy that does not go there loses 50.
    assert -3.5 < reached < -2.5, "learned, with the constructor's argument and the time limit given"
    assert Path(weights).is_relative_to(folder / "runs of it") and Path(library).is_relative_to(cache)
    built = Path(library).stat()
    tools = tmp_path / "no cmake"
    tools.mkdir()
    reached, other, again = run(PATH=str(tools))
    assert again == library and Path(library).stat().st_ino == built.st_ino, "built once"
    assert other != weights, "a run doesn't write into another's folder"
    (cache / "orbit_train").rename(tmp_path / "moved")
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=folder,
                          env=script_environment(cache) | {"PATH": str(tools)})
    assert done.returncode == 1 and "cmake" in done.stderr.splitlines()[-1]


def test_a_script_that_trains_when_imported_is_told_so(tmp_path):
    script = tmp_path / "walk.py"
    script.write_text(WALK + TRAINS)
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=tmp_path, timeout=60,
                          env=script_environment(tmp_path))
    assert done.returncode == 1 and 'if __name__ == "__main__"' in done.stderr.splitlines()[-1], done.stderr


def test_an_environment_that_gymnasium_made_keeps_its_limit_and_arguments():
    made = gymnasium.make("FrozenLake-v1", map_name="8x8", is_slippery=False, max_episode_steps=7, render_mode="ansi")
    assert rl2xla._described(made, None, {}) == ("FrozenLake-v1", 7, {"map_name": "8x8", "is_slippery": False})
    assert rl2xla._described(made, 9, {"map_name": "4x4"}) == ("FrozenLake-v1", 9, {"map_name": "4x4", "is_slippery": False})
    limited = compile_ppo(gymnasium.make("CartPole-v1", max_episode_steps=20))
    assert limited.environment == "cartpole" and limited.library is None and limited.time_limit == 20


@pytest.mark.parametrize(("env", "arguments", "parts"), [
    ("NoSuchThing-v3", {}, ["NoSuchThing", "MODULE:CLASS"]),
    ("no_such_module:Env", {}, ["no module no_such_module"]),
    (converter_refused.DataShape, {}, ["converter_refused.py:", "np.nonzero"]),
    (converter_refused.DataShape(), {}, ["converter_refused.py:", "np.nonzero"]),
    (type("Inside", (gymnasium.Env,), {"__qualname__": "f.<locals>.Inside"}), {}, ["f.<locals>.Inside", "module"]),
    ("FrozenLake-v1", {"map_name": object()}, ["map_name", "numbers"]),
    ("FrozenLake-v1", {"no_such_argument": 3}, ["no_such_argument"]),
])
def test_an_environment_that_cant_be_converted_is_named(env, arguments, parts):
    with pytest.raises(ConversionError) as refused:
        compile_ppo(env, **arguments)
    assert "\n" not in str(refused.value) and "Traceback" not in str(refused.value)
    for part in parts:
        assert part in str(refused.value), str(refused.value)


@pytest.mark.parametrize(("hidden", "config", "settings", "part"), [
    ((8,), PPOConfig(num_envs=0), {}, "training.episodes_per_iter"),
    ((8,), TINY, {"training.clip_ep": 0.1}, "clip_eps"),
    ((8,), TINY, {"training.lr": "fast"}, "training.lr"),
    ((0,), TINY, {}, "model.mlp.hidden_sizes"),
])
def test_a_wrong_setting_is_the_trainers_one_line(tmp_path, hidden, config, settings, part):
    with pytest.raises(ValueError) as refused:
        compile_ppo("CartPole-v1", hidden=hidden).train(config, run_dir=tmp_path, settings=settings)
    assert part in str(refused.value) and "\n" not in str(refused.value)


def test_what_is_missing_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("ORBIT_BUILD_DIR", str(tmp_path))
    with pytest.raises(FileNotFoundError, match=r"orbit_train: no such program; build it with .*scripts/setup.sh programs"):
        compile_ppo("CartPole-v1").train(TINY)
    monkeypatch.setenv("ORBIT_TRAIN_HOME", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="set ORBIT_TRAIN_HOME"):
        compile_ppo("FrozenLake-v1")

"""The Python package: the vector environment over the operators, its README's example, and its installation by pip."""
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build"))
pytest.importorskip("gymnasium")
os.environ.setdefault("ORBIT_OPS_LIBRARY", str(BUILD / "lib" / "liborbit_ops.so"))
sys.path.insert(0, str(ROOT / "python"))

import gymnasium  # noqa: E402
import orbit_ops  # noqa: E402
from orbit_train import OrbitWarsVectorEnv  # noqa: E402


def random_action(env, random):
    shape = (env.num_envs, 36)
    target = torch.tensor([random.randrange(37) if random.random() < 0.2 else env.no_op for _ in range(shape[0] * shape[1])])
    return {"target": target.reshape(shape), "x": torch.full(shape, random.uniform(0, 4))}


def play(env, steps, random, seed=None):
    observation, _ = env.reset(seed=seed)
    rows = [(observation, None, None, None, {})]
    for _ in range(steps):
        rows.append(env.step(random_action(env, random)))
    return rows


def test_spaces_describe_what_is_returned():
    random = orbit_ops.fresh_random()
    env = OrbitWarsVectorEnv(6, boards=4)
    assert isinstance(env, gymnasium.vector.VectorEnv)
    for observation, *_ in play(env, 3, random):
        assert env.observation_space.contains({
            name: value.numpy().astype("int8") if value.dtype == torch.bool else value.numpy() for name, value in observation.items()})
    env.step(env.action_space.sample())  # NumPy arrays are actions too
    assert env.metadata["autoreset_mode"] is gymnasium.vector.AutoresetMode.SAME_STEP


@pytest.mark.parametrize("opponent", ["starter", "self"])
@pytest.mark.parametrize("players", [2, 4])
def test_equal_seeds_give_equal_games(opponent, players):
    random = orbit_ops.fresh_random()
    seed, state = random.randrange(2**31), random.getstate()

    def run(game_seed):
        random.setstate(state)
        return play(OrbitWarsVectorEnv(8, opponent=opponent, players=players, boards=16, time_limit=7), 20, random, game_seed)

    first, second, other = run(seed), run(seed), run(seed + 1)
    for a, b in zip(first, second, strict=True):
        assert all(torch.equal(a[0][name], b[0][name]) for name in a[0])
    assert any(not torch.equal(a[0]["planets"], b[0]["planets"]) for a, b in zip(first, other, strict=True))


@pytest.mark.parametrize("opponent", ["random", "self"])
def test_games_that_end_make_room_in_the_same_step(opponent):
    """The last observation of an episode is the one that a game without a limit shows; then a new game's first follows."""
    random = orbit_ops.fresh_random()
    seed, state = random.randrange(2**31), random.getstate()
    cut = play(OrbitWarsVectorEnv(8, opponent=opponent, boards=16, time_limit=5), 5, random, seed)
    random.setstate(state)
    whole = play(OrbitWarsVectorEnv(8, opponent=opponent, boards=16), 5, random, seed)
    _, _, terminated, truncated, info = cut[-1]
    assert truncated.all() and not terminated.any() and info["_final_obs"].all()
    assert all(torch.equal(info["final_obs"][name], whole[-1][0][name]) for name in whole[-1][0])
    assert (info["episode"]["l"] == 5).all()
    returns = sum(row[1] for row in cut[1:])
    assert torch.allclose(info["episode"]["r"], returns)
    fleets, step = cut[-1][0]["globals"], cut[0][0]["globals"]
    assert torch.equal(fleets[:, :1], step[:, :1]), "the first global is the game's clock: a new game begins"
    assert "final_obs" not in cut[-2][-1]


def test_games_end_by_their_rules_and_are_counted():
    random = orbit_ops.fresh_random()
    env = OrbitWarsVectorEnv(4, opponent="starter", boards=8, episode_steps=12, time_limit=1000)
    rows = play(env, 33, random)
    terminated = torch.stack([row[2] for row in rows[1:]])
    assert terminated[10].all() and terminated[21].all() and terminated.sum() == 3 * 4
    assert not torch.stack([row[3] for row in rows[1:]]).any()
    said = env.statistics()
    assert said["episodes"] == 12 and said["mean_length"] == 11
    outcomes = torch.stack([row[1] for row in rows[1:]])[terminated]
    assert said["win_rate"] == pytest.approx((outcomes > 0).float().mean().item())
    assert said["mean_return"] == pytest.approx(outcomes.mean().item())


def test_only_finished_games_are_observed_anew():
    random = orbit_ops.fresh_random()
    env = OrbitWarsVectorEnv(4, boards=8, time_limit=6)
    play(env, 3, random)
    env._episode["length"][1] = 5  # game 1 is near its limit
    observation, _, _, truncated, info = env.step(random_action(env, random))
    assert truncated.tolist() == [False, True, False, False]
    for name, value in observation.items():
        same = [torch.equal(value[i], info["final_obs"][name][i]) for i in range(4)]
        assert same[0] and same[2] and same[3]
    assert not torch.equal(observation["planets"][1], info["final_obs"]["planets"][1])


@pytest.mark.parametrize(("arguments", "said"), [
    ({"num_envs": 0}, "num_envs"), ({"num_envs": 3, "opponent": "self"}, "multiple of 2"), ({"num_envs": 1, "opponent": "me"}, "noop"),
    ({"num_envs": 1, "players": 3}, "players"), ({"num_envs": 1, "decoder": "x"}, "decoder"),
])
def test_wrong_arguments_are_named(arguments, said):
    with pytest.raises(ValueError, match=said):
        OrbitWarsVectorEnv(**arguments)


def test_wrong_actions_are_named():
    env = OrbitWarsVectorEnv(2, boards=2)
    env.reset(seed=0)
    with pytest.raises(ValueError, match=r"actions\['target'\]: expected shape \(2, 36\), found \(2, 35\)"):
        env.step({"target": torch.zeros(2, 35), "x": torch.zeros(2, 36)})


def readme_example():
    text = (ROOT / "README.md").read_text()
    return re.search(r"## From Python.*?```python\n(.*?)```", text, re.DOTALL).group(1)


def test_readme_example_runs(capsys):
    example = readme_example()
    assert len(example.strip().splitlines()) <= 10
    exec(compile(example, "README.md", "exec"), {})
    assert "win_rate" in capsys.readouterr().out


def test_pip_installs_it(tmp_path):
    pytest.importorskip("scikit_build_core")
    target = tmp_path / "site"
    command = [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--quiet", "--target", target, ROOT,
               f"--config-settings=build-dir={tmp_path / 'build'}"]
    environment = {**os.environ, "ORBIT_TORCH_DIR": str(Path(torch.__file__).parent)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    del environment["ORBIT_OPS_LIBRARY"]
    environment["PYTHONPATH"] = str(target)
    program = "import orbit_train; print(orbit_train.__file__)\n" + readme_example()
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert str(target) in done.stdout and "win_rate" in done.stdout

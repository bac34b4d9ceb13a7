"""Shipped configs of small environments learn: the quickest of benchmarks/small_learning.py, which trains all of them on several seeds.

Here those of a few seconds, on a fresh seed; test_small_env_training.py has cartpole; acrobot, mountain_car, pendulum and upright_duck
take longer and are left to the benchmark.
"""
import sys

import pytest

from training_runs import ROOT, fresh_draws

sys.path.insert(0, str(ROOT / "benchmarks"))
import small_learning  # noqa: E402
from greedy_episodes import load_operators, play  # noqa: E402

QUICK = ["mountain_car_continuous", "push_cube", "nav"]


@pytest.fixture(scope="module", autouse=True)
def operators():
    load_operators()


@pytest.mark.parametrize("name", QUICK)
def test_a_shipped_config_reaches_its_target(tmp_path, name):
    seed = fresh_draws().randrange(2**31)
    run, _ = small_learning.train(name, tmp_path, seed)
    task = small_learning.TASKS[name]
    assert task.measure(play(name, run / "best.pt", 200, small_learning.FRESH_SEED)) >= task.target
    still = ["training.iterations=1", "training.lr=0", "training.lr_end=null", "training.lr_schedule_steps=null", "evaluation.every=1"]
    untrained, _ = small_learning.train(name, tmp_path / "untrained", seed, settings=still)
    assert task.measure(play(name, untrained / "best.pt", 200, small_learning.FRESH_SEED)) < task.target, "the target asks for learning"


def test_every_small_config_has_its_target():
    small = {path.stem for path in (ROOT / "configs").glob("*.yaml")} - {"ppo", "case1"}
    assert small == set(small_learning.TASKS)

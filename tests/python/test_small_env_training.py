"""Training on small environments: a run from its config to weights that play in gymnasium, going on after a kill, mistakes."""
import json
import signal
import time

import gymnasium
import numpy as np
import pytest
import torch

from small_training_runs import LIBRARIES, actor_of, write_config
from test_resume import assert_same_end, finished, killed, started
from training_runs import ROOT, fresh_draws, rows, train

CARTPOLE = ROOT / "configs/cartpole.yaml"


def test_cartpole_is_learned_and_the_weights_balance_gymnasiums_pole(tmp_path):
    seed = fresh_draws().randrange(2**31)
    folder = tmp_path / "run"
    train("--config", CARTPOLE, "--set", f"output.run_dir={tmp_path}", "--set", "output.run_name=run", "--set", f"training.seed={seed}")
    evaluated = [row for row in rows(folder) if "evaluation_return" in row]
    assert evaluated[-1]["evaluation_return"] == 500 and evaluated[-1]["evaluation_length"] == 500
    assert evaluated[-1]["evaluation_terminated"] == 0, "the time limit is no fall"
    actor, env = actor_of(folder / "best.pt"), gymnasium.make("CartPole-v1")
    for episode in range(3):
        observation, _ = env.reset(seed=seed % 2**31 + episode)
        steps, ended = 0, False
        while not ended:
            action = int(actor(torch.from_numpy(np.asarray(observation, np.float32))[None]).argmax())
            observation, _, terminated, truncated, _ = env.step(action)
            steps, ended = steps + 1, terminated or truncated
        assert steps == 500
    page = (folder / "report.html").read_text()
    assert "evaluation_return" not in page and "Return of the greedy policy" in page and "Win rate" not in page


def test_a_metrics_row_counts_the_episodes_that_end_in_it(tmp_path):
    """With as many steps as the time limit, every environment that never falls ends once an iteration."""
    config, folder = write_config(tmp_path, "pendulum", "pendulum", "")
    train("--config", config, "--set", "training.horizon=50", "--set", "training.iterations=8")
    counted = rows(folder)
    assert [row["episodes"] for row in counted] == [0, 0, 0, 6, 0, 0, 0, 6]
    assert ["episode_return" in row for row in counted] == [row["episodes"] > 0 for row in counted]
    assert counted[3]["episode_length"] == 200 and counted[3]["episode_return"] < -200
    assert "win_rate" not in counted[3] and "refused_launches" not in counted[3]


RECURRENT = ["model.kind=rnn", "model.mlp=null", "model.rnn={hidden: 8, memory: 8, sequence_length: 8}"]


@pytest.mark.parametrize("environment, network", [("cartpole", []), ("nav", []), ("cartpole", RECURRENT)])
def test_a_run_killed_at_random_moments_ends_as_one_that_was_not(tmp_path, environment, network):
    draw = fresh_draws()
    longer = ["training.iterations=120", "training.horizon=64", "evaluation.every=20", *network]
    longer = [word for setting in longer for word in ("--set", setting)]
    config, whole = write_config(tmp_path, "whole", environment)
    begin = time.monotonic()
    train("--config", config, *longer)
    seconds = time.monotonic() - begin
    config, cut = write_config(tmp_path, "cut", environment)
    for _ in range(6):
        if finished(cut):
            break
        process = started(["--config", config, *longer, "--resume", cut if (cut / "last.pt").exists() else "auto"])
        time.sleep(draw.uniform(0, 0.7 * seconds))
        killed(process)
    train("--config", config, *longer, "--resume", cut if (cut / "last.pt").exists() else "auto")
    assert_same_end(cut, whole)


def test_a_run_stopped_at_random_moments_ends_as_one_that_was_not(tmp_path):
    draw = fresh_draws()
    longer = ["--set", "training.iterations=60", "--set", "training.horizon=64", "--set", "training.ppo_epochs=20"]
    config, whole = write_config(tmp_path, "whole", "mountain_car_continuous")
    begin = time.monotonic()
    train("--config", config, *longer)
    seconds = time.monotonic() - begin
    config, cut = write_config(tmp_path, "cut", "mountain_car_continuous")
    for _ in range(4):
        if finished(cut):
            break
        process = started(["--config", config, *longer, "--resume", cut if (cut / "last.pt").exists() else "auto"])
        time.sleep(draw.uniform(0.1, 0.7) * seconds)
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
        assert process.returncode in (0, -signal.SIGINT), out
    train("--config", config, *longer, "--resume", cut if (cut / "last.pt").exists() else "auto")
    assert_same_end(cut, whole)


@pytest.mark.parametrize("environment", ["acrobot", "mountain_car", "pendulum", "push_cube", "microduck"])
def test_every_environment_trains_alike_twice(tmp_path, environment):
    for name in ("a", "b"):
        config, folder = write_config(tmp_path, name, environment)
        train("--config", config, "--set", "environment.time_limit=25", "--set", "environment.precision=float64")
    assert rows(tmp_path / "runs/a") == rows(folder)
    assert (tmp_path / "runs/a/last.pt").read_bytes() == (folder / "last.pt").read_bytes()
    assert rows(folder)[-1]["episode_length"] <= 25


LEARNED = ("value_loss", "entropy", "explained_variance", "grad_norm")


# Sums in another order, differences up to 1e-7 in a few runs; products rounded to 8 bits, up to 1e-2.
@pytest.mark.parametrize("setting, tolerance", [("device.fused=false", 1e-4), ("device.precision=bf16", 0.1)])
@pytest.mark.parametrize("environment", ["cartpole", "pendulum"])
def test_an_operator_at_a_time_and_bf16_learn_what_fused_operators_do(tmp_path, environment, setting, tolerance):
    """From one iteration of one minibatch: whoever draws one action otherwise sees other states from there on."""
    seed = fresh_draws().randrange(2**31)
    one = [f"training.seed={seed}", "training.iterations=1", "training.ppo_epochs=1", "training.minibatch_size=180"]
    learned = []
    for name, settings in (("fused", one), ("other", [*one, setting])):
        config, folder = write_config(tmp_path, name, environment)
        train("--config", config, *[word for s in settings for word in ("--set", s)])
        learned.append({key: rows(folder)[0][key] for key in LEARNED})
    assert learned[1] == pytest.approx(learned[0], rel=tolerance, abs=tolerance)
    assert learned[1] != learned[0], "the setting had no effect"


def test_an_environment_library_trains_and_a_resume_finds_it(tmp_path):
    config, folder = write_config(tmp_path, "dice", "dice_walk")
    library = LIBRARIES / "dice_walk.so"
    train("--config", config, "--env-library", library)
    assert f"library: {library}" in (folder / "config.yaml").read_text()
    done = train("--resume", folder, "--set", "training.iterations=6")
    assert "goes on at iteration 5 of 6" in done.stdout and len(rows(folder)) == 6


def test_several_seeds_are_summarised(tmp_path):
    config, _ = write_config(tmp_path, "seeds")
    done = train("--config", config, "--set", "training.seeds=2")
    summary = json.loads(next((tmp_path / "runs").glob("*-seeds.json")).read_text())
    assert len(summary["metrics"]["evaluation_return"]["values"]) == 2 and "evaluation_return" in done.stdout


def test_numbers_that_are_none_end_the_run_and_name_the_environment(tmp_path):
    config, folder = write_config(tmp_path, "bad", "bad_numbers")
    run = ["--config", config, "--env-library", LIBRARIES / "bad_numbers.so", "--set", "training.iterations=1000"]
    done = train(*run, check=False)
    assert done.returncode == 1 and done.stderr.count("\n") == 1, done.stderr
    assert "bad_numbers, environment " in done.stderr and "reward" in done.stderr
    for row in rows(folder):
        assert all(value is not None for value in row.values()), "what was kept is sound"


MISTAKES = [
    ("cartpol", [], ["environment.name", '"cartpol"', "cartpole", "Did you mean"]),
    ("cartpole", ["training.opponent=starter"], ["training.opponent", "orbit_wars alone", "cartpole"]),
    ("cartpole", ["environment.players=4"], ["environment.players", "orbit_wars alone"]),
    ("cartpole", ["training.shaping_coef=1"], ["training.shaping_coef", "orbit_wars alone"]),
    ("cartpole", ["model.hidden=64"], ["model.hidden", "orbit_wars alone"]),
    ("cartpole", ["model.kind=orbit_v1"], ["model.kind", "mlp"]),
    ("cartpole", ["model.kind=rnn"], ["model.mlp", "model.kind is rnn"]),
    ("cartpole", [*RECURRENT, "model.rnn.sequence_length=7"], ["model.rnn.sequence_length", "divide", "training.horizon 30"]),
    ("orbit_wars", ["model.mlp=null", "model.rnn.memory=8"], ["model.rnn", "small environments"]),
    ("cartpole", ["model.mlp.hidden_sizes=[]"], ["model.mlp.hidden_sizes", "whole numbers"]),
    ("cartpole", ["model.mlp.hidden_sizes=[64, 0]"], ["model.mlp.hidden_sizes", "1 to 65536"]),
    ("cartpole", ["model.mlp.hidden_sizes=64"], ["model.mlp.hidden_sizes", "a list"]),
    ("cartpole", ["model.mlp.widths=[64]"], ['unknown key "widths" in model.mlp']),
    ("cartpole", ["evaluation.opponents=[random]"], ["evaluation.opponents", "orbit_wars alone"]),
    ("cartpole", ["evaluation.seed_start=3"], ["evaluation.seed_start", "seed"]),
    ("cartpole", [*RECURRENT, "device.precision=bf16"], ["device.precision", "rnn", "float32 alone"]),
    ("orbit_wars", ["model.mlp=null", "device.fused=false"], ["device.fused", "small environments"]),
    ("orbit_wars", [], ["model.mlp", "small environments"]),
    ("cartpole", [f"environment.library={LIBRARIES}/dice_walk.so"], ["dice_walk", "cartpole"]),
    ("other", [f"environment.library={LIBRARIES}/other_contract.so"], ["other_contract.so", "contract"]),
    ("other", ["environment.library=/nowhere.so"], ["/nowhere.so", "no such file"]),
    ("acrobot", ["model.mlp.squash=true"], ["squash"]),
]


@pytest.mark.parametrize("environment, settings, parts", MISTAKES)
def test_a_mistake_is_one_line(tmp_path, environment, settings, parts):
    config, folder = write_config(tmp_path, "mistake", environment)
    done = train("--config", config, *[word for s in settings for word in ("--set", s)], check=False)
    assert done.returncode == 2 and done.stderr.count("\n") == 1, done.stderr
    for part in parts:
        assert part in done.stderr, done.stderr
    assert not folder.exists()

"""scripts/gym_to_kernel.py: what it converts steps as the Python environment does, what it can't is refused."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pytest

from orbit_ops import ROOT, fresh_random, ops

pytest.importorskip("gymnasium")
import converted_env  # noqa: E402
import converter_envs  # noqa: E402
import converter_refused  # noqa: E402
from converted_env import padded  # noqa: E402

STEPS = 10_000
SCRIPT = ROOT / "scripts" / "gym_to_kernel.py"
TABLE = ROOT / "scripts" / "gym_to_kernel" / "README.md"


@dataclass
class Case:
    name: str
    target: str
    constructor: dict = field(default_factory=dict)
    exact: float = 1e-14  # worst difference of a step in double, relative to the larger of 1 and the number
    single: float = 1e-5  # in float
    flags: int = 3  # steps that may end otherwise in float, where a number is rounded to the other side of a limit


def rl2xla(module, name):
    spec = importlib.util.find_spec("rl2xla")
    folder = spec.submodule_search_locations[0] if spec else "not installed"
    return f"{folder}/{module}.py:{name}"  # the package itself needs JAX


CASES = [
    Case("cartpole", "CartPole-v1"),
    Case("acrobot", "Acrobot-v1", exact=1e-12, single=1e-4),
    Case("mountain_car", "MountainCar-v0"),
    Case("mountain_car_continuous", "MountainCarContinuous-v0"),
    Case("pendulum", "Pendulum-v1", exact=1e-9, single=1e-4),  # NumPy squares a float32 with powf, half a last bit off
    Case("frozen_lake", "FrozenLake-v1"),
    Case("frozen_lake_8x8", "FrozenLake8x8-v1"),
    Case("frozen_lake_dry", "FrozenLake-v1", {"is_slippery": False}),
    Case("cliff_walking", "CliffWalking-v1"),
    Case("cliff_walking_slippery", "CliffWalkingSlippery-v1"),
    Case("taxi", "Taxi-v4"),
    Case("taxi_rainy_fickle", "Taxi-v4", {"is_rainy": True, "fickle_passenger": True}),
    Case("blackjack", "Blackjack-v1"),
    Case("blackjack_natural", "Blackjack-v1", {"sab": False, "natural": True}),
    Case("push_cube", rl2xla("env", "PushCubeEnv"), exact=3e-7),  # a BLAS adds the squares of a float32 norm in another order
    Case("nav", rl2xla("test_env", "NavEnv")),
    Case("microduck", rl2xla("microduck_env", "MicroduckWalkEnv"), exact=1e-6, single=1e-3),  # the same; 500 rad/s^2 for a rad
    # np.cos and np.sin of float32 differ from ours in the last bit
    *[
        Case(
            cls.__name__.lower(),
            f"converter_envs:{cls.__name__}",
            exact={"Arm": 1e-6}.get(cls.__name__, 1e-14),
            # rounding to float decides what is counted, or which way a branch goes
            flags={"Arithmetic": STEPS, "Loops": 50, "Arrays": 50}.get(cls.__name__, 3),
        )
        for cls in converter_envs.HARD
    ],
]
# Their first observation is the same in every episode, or one of a few.
SAME_FIRST = {"blackjack", "blackjack_natural", "loops", "arithmetic"}
ALWAYS = {"cartpole", "pendulum", "cliff_walking"}
EXACT_ONLY = {"arithmetic", "loops", "arrays", "branches", "phases", "dice", "queue"}  # whole-number results of floats


@pytest.fixture(scope="session")
def converted(request, tmp_path_factory):
    """Those that the selected tests need, converted, and built two at a time."""
    folder = tmp_path_factory.mktemp("converted")
    chosen = {
        item.callspec.params["case"].name
        for item in request.session.items
        if isinstance(getattr(item, "callspec", None) and item.callspec.params.get("case"), Case)  # other files have a "case" too
    }
    made, running = {}, []
    with np.errstate(all="ignore"):
        for case in CASES:
            if "not installed" in case.target or case.name not in chosen | ALWAYS:
                continue
            made[case.name] = converted_env.convert(case.target, folder / case.name, case.constructor, name=f"converted_{case.name}")
            if len(running) == 2:
                running.pop(0).process.wait()
            made[case.name].start_build()
            running.append(made[case.name])
    return made


@pytest.fixture(params=CASES, ids=lambda c: c.name)
def case(request):
    return request.param


@pytest.fixture
def env(case, converted):
    if case.name not in converted:
        pytest.skip("needs pip install --no-deps rl2xla==0.1.0")
    converted[case.name].load()
    return converted[case.name]


def assert_close(found, expected, tolerance, what):
    """Relative to the larger of 1 and the number; prints the worst element. What is NaN is expected to be anything."""
    found, expected = np.asarray(found, np.float64), np.asarray(expected, np.float64)
    assert found.shape == expected.shape, f"{what}: {found.shape}, expected {expected.shape}"
    if not found.size:
        return
    difference = np.where(np.isnan(expected), 0, np.abs(found - expected) / np.maximum(1, np.abs(expected)))
    worst = np.unravel_index(np.argmax(difference), difference.shape)
    assert difference[worst] <= tolerance, f"{what} {worst}: {found[worst]!r}, expected {expected[worst]!r} (tolerance {tolerance})"


def step_all(env, in_double):
    """Every step that was played, each from its own state, in one call."""
    steps, rows = env.steps, env.state_rows()
    batch = env.batch(len(steps), in_double)
    batch.reset()
    state = batch.state().numpy()
    state[rows] = np.nan_to_num(np.transpose([s.before for s in steps]))
    batch.set_state(state)
    batch.length.copy_(batch.length.new_tensor([s.elapsed for s in steps]))
    batch.fault.zero_()
    # What a reset after the step draws comes after the step's own numbers; its state is not looked at here.
    batch.step([s.action for s in steps], padded([s.drawn for s in steps], max(len(r.drawn) for r in env.resets)))
    return batch, rows


@pytest.mark.parametrize("in_double", [True, False], ids=["double", "float"])
def test_each_step_is_the_python_one(case, env, in_double):
    if not in_double and case.name in EXACT_ONLY:
        pytest.skip("in float, rounding decides its whole numbers")
    with np.errstate(all="ignore"):
        env.play(fresh_random(), STEPS)
    batch, rows = step_all(env, in_double)
    steps, tolerance = env.steps, case.exact if in_double else case.single
    expected = [np.array([getattr(s, name) for s in steps]) for name in ("terminated", "truncated")]
    flags = [batch.terminated.numpy(), batch.truncated.numpy()]
    if in_double:
        for name, found, wanted in zip(("terminated", "truncated"), flags, expected):
            assert np.array_equal(found, wanted), f"{name}: steps {np.flatnonzero(found != wanted)[:5]}"
    else:
        assert np.sum(np.not_equal(flags, expected)) <= case.flags
    on = ~np.logical_or(*expected) & ~np.logical_or(*flags)
    off = np.logical_or(*expected) & np.logical_or(*flags)
    assert on.any()
    assert_close(batch.state().numpy()[rows][:, on], np.transpose([s.after for s in steps])[:, on], tolerance, "state")
    observations = np.array([s.observation for s in steps])  # ours are float: half a last bit more
    assert_close(batch.observation.numpy()[on], observations[on], tolerance + 1.2e-7, "observation")
    assert_close(batch.final_observation.numpy()[off], observations[off], tolerance + 1.2e-7, "final observation")
    same = on | off
    assert_close(batch.reward.numpy()[same], np.array([s.reward for s in steps])[same], tolerance, "reward")
    assert not batch.faults()


def test_resets_are_the_python_ones(case, env):
    with np.errstate(all="ignore"):
        env.play(fresh_random(), 300)
    resets = env.resets
    batch = env.batch(len(resets))
    batch.reset(padded([r.drawn for r in resets]))
    tolerance = case.exact if case.name != "microduck" else 1.2e-7
    assert_close(
        batch.state().numpy()[env.state_rows()],
        np.transpose([r.state for r in resets]).reshape(len(env.state_rows()), -1),
        tolerance,
        "state",
    )
    assert_close(batch.observation.numpy(), [r.observation for r in resets], tolerance + 1.2e-7, "observation")
    assert not batch.faults()


def test_the_draws_of_the_kernel_itself_play(case, env):
    """With its own random numbers: other seeds give other games where there are draws, the same seed the same, nothing is NaN."""

    def play(seed):
        batch = converted_env.Batch(env.name, 64, in_double=False, seed=seed)
        batch.reset()
        seen = [batch.observation.clone()]
        generator = np.random.default_rng(0)
        low, high = np.array(batch.about["action_low"]), np.array(batch.about["action_high"])
        for _ in range(40):
            shape = (64, batch.about["action_size"])
            action = (
                generator.uniform(low, high, shape)
                if batch.about["action_kind"] == "continuous"
                else generator.integers(low, high + 1, shape)
            )
            batch.step(action)
            seen.append(batch.observation.clone())
        assert not batch.faults()
        return np.array([s.numpy() for s in seen])

    first = play(1)
    assert np.array_equal(first, play(1))
    if env.kernel.draws["reset"] + env.kernel.draws["step"] and not case.name.startswith(("cliff_walking", "frozen_lake_dry")):
        assert not np.array_equal(first, play(2))
    if env.kernel.draws["reset"] and case.name not in SAME_FIRST and not case.name.startswith(("cliff", "frozen")):
        assert len({tuple(row) for row in first[0].tolist()}) > 1


def test_a_time_limit_of_an_id_truncates(converted):
    assert converted["cartpole"].kernel.time_limit == 500 and converted["pendulum"].kernel.time_limit == 200
    assert converted["cliff_walking"].kernel.time_limit == 0
    converted["pendulum"].load()
    batch = converted["pendulum"].batch(2)
    batch.reset()
    for step in range(200):
        assert not batch.truncated.any(), step
        batch.step(np.zeros(2))
    assert batch.truncated.all() and not batch.terminated.any()


def test_every_row_of_the_table_has_its_test():
    rows = re.findall(r"^\| (?!what|---)(.+?) \| (.+?) \|$", TABLE.read_text(encoding="utf-8"), re.MULTILINE)
    tested = {c.name for c in CASES} | {c.__name__ for c in converter_envs.HARD} | {name for name, _, _ in converter_refused.REFUSED}
    assert len(rows) > 20
    for what, tests in rows:
        names = re.findall(r"`(\w+)`", tests)
        assert names and set(names) <= tested, f"{what}: {tests}"


def run(*arguments, cwd=None):
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "tests" / "python")}
    return subprocess.run([sys.executable, str(SCRIPT), *map(str, arguments)], capture_output=True, text=True, cwd=cwd, env=environment)


@pytest.fixture(scope="session")
def refusals():
    """All messages, by class, from one process."""
    code = (
        "import json, sys; sys.path[:0] = sys.argv[1:3]; import converter_refused\n"
        "from gym_to_kernel.command_line import convert; from gym_to_kernel.messages import ConversionError\n"
        "import warnings; warnings.simplefilter('ignore')\n"
        "found = {}\n"
        "for name, _, _ in converter_refused.REFUSED:\n"
        "    try:\n        convert('converter_refused:' + name); found[name] = None\n"
        "    except ConversionError as e:\n        found[name] = [e.where, e.text, str(e)]\n"
        "print(json.dumps(found))\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", code, str(ROOT / "scripts"), str(ROOT / "tests" / "python")], capture_output=True, text=True
    )
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


@pytest.mark.parametrize("name, text, reason", converter_refused.REFUSED, ids=[r[0] for r in converter_refused.REFUSED])
def test_what_does_not_translate_is_refused_with_its_place(refusals, name, text, reason):
    assert refusals[name] is not None, "it was converted"
    where, quoted, message = refusals[name]
    assert reason in message, message
    if text:
        assert text in quoted, message
        file, line = where.rsplit(":", 1)
        assert Path(file).name == "converter_refused.py", message
        source = Path(file).read_text(encoding="utf-8").splitlines()
        first = quoted.split("(")[0].split("[")[0].split(" ")[0]
        assert first in source[int(line) - 1], message


@pytest.mark.parametrize(
    "target, reason",
    [
        ("Ant-v5", "MuJoCo"),
        ("LunarLander-v3", "Box2D"),
        ("phys2d/CartPole-v1", "JAX"),
        ("NoSuchGame-v0", "NoSuchGame"),
        ("no_module:Env", "no module no_module"),
        ("converter_envs:Nothing", "has no Nothing"),
        ("converter_envs:CALL", "no class"),
        ("missing.py:Env", "no file missing.py"),
        ("converter_refused:DataShape", "depend on data"),
    ],
)
def test_bad_targets_end_in_one_line_and_write_nothing(tmp_path, target, reason):
    out = tmp_path / "out"
    result = run(target, "--out", out)
    assert result.returncode == 2 and not out.exists()
    assert reason in result.stderr and len(result.stderr.splitlines()) == 1 and "Traceback" not in result.stderr, result.stderr


@pytest.mark.parametrize(
    "flags", [["--set", "x"], ["--set", "nothing=1"], ["--list-capacity", "0"], ["--time-limit", "-1"], ["--name", "My-Env"]]
)
def test_bad_flags_end_in_one_line(tmp_path, flags):
    result = run("CartPole-v1", "--out", tmp_path / "out", *flags)
    assert result.returncode == 2 and len(result.stderr.splitlines()) == 1 and not (tmp_path / "out").exists(), result.stderr


def test_the_command_converts_builds_and_loads(tmp_path):
    """As a user does it: the command, CMake, the library in operators."""
    out = tmp_path / "lake"
    result = run("FrozenLake-v1", "--out", out, "--set", "map_name=8x8", "--name", "frozen_lake_by_cmake", "--time-limit", "77")
    assert result.returncode == 0, result.stderr
    for part in ("state", "action", "observation   1 number", "random draws  1 calls in reset, 1 in step", "time limit    77", "cmake -S"):
        assert part in result.stdout, result.stdout
    for command in (["cmake", "-S", out, "-B", out / "build", "-DORBIT_CUDA=OFF"], ["cmake", "--build", out / "build"]):
        built = subprocess.run(list(map(str, command)), capture_output=True, text=True)
        assert built.returncode == 0, built.stdout + built.stderr
    assert ops.load_env_library(str(out / "build" / "frozen_lake_by_cmake.so")) == "frozen_lake_by_cmake"
    about = json.loads(ops.env_description("frozen_lake_by_cmake"))
    assert about["observation_high"] == [63] and about["time_limit"] == 77 and about["action_high"] == [3]


def test_a_full_disk_or_file_in_the_way_is_no_traceback(tmp_path):
    (tmp_path / "file").write_text("")
    result = run("CartPole-v1", "--out", tmp_path / "file")
    assert result.returncode == 1 and len(result.stderr.splitlines()) == 1 and "Traceback" not in result.stderr


def test_a_list_that_grows_beyond_its_room_is_a_fault(tmp_path):
    small = converted_env.convert("converter_envs:Queue", tmp_path, name="converted_small_queue", list_capacity=4)
    small.start_build()
    small.load()
    batch = small.batch(1)
    batch.reset()
    for _ in range(6):
        batch.step([0])
    assert any("reward is not finite" in line for line in batch.faults())

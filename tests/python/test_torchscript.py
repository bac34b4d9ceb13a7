"""orbit_pack: weights as TorchScript modules and plain state_dicts, and modules as agents that orbit_eval plays."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from checkpoint_files import inspect, read, same
from small_training_runs import write_config

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from parity_reference import SIZES, policy_case, random_observations  # noqa: E402

BIN = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build")) / "bin"
torch.set_num_threads(1)
pytestmark = pytest.mark.filterwarnings("ignore:.*torch.jit:DeprecationWarning")


def run(program, *arguments, code=0):
    done = subprocess.run([BIN / program, *map(str, arguments)], capture_output=True, text=True, timeout=240)
    assert done.returncode == code, done.stderr
    assert done.stderr.count("\n") == (1 if code else 0), done.stderr
    return done.stdout if code == 0 else done.stderr


def settings(config):
    pairs = {"hidden": config["hidden"], "attn_heads": config["heads"], "inducing_points": config["inducing"],
             "encoder_layers": config["layers"], "no_op_bias": config["no_op_bias"]}
    return ["--config", ROOT / "configs/ppo.yaml", *(part for key, value in pairs.items() for part in ("--set", f"model.{key}={value}"))]


def export(config, state, folder):
    torch.save({"model": state, "ema": state}, folder / "policy.pt")
    run("orbit_pack", "torchscript", *settings(config), "--weights", folder / "policy.pt", "--key", "ema", "--output", folder / "policy.ts")
    return torch.jit.load(folder / "policy.ts")


@pytest.fixture
def seed():
    value = int(os.environ.get("ORBIT_TEST_SEED", torch.seed() % 2**31))
    print(f"repeat with ORBIT_TEST_SEED={value}")
    return value


@pytest.mark.parametrize("config", SIZES, ids=lambda c: f"hidden{c['hidden']}")
def test_python_and_cpp_run_it_with_equal_outputs(config, seed, tmp_path):
    case = policy_case(config, 7, seed)
    module = export(config, case["state_dict"], tmp_path)
    assert {name: p.shape for name, p in module.named_parameters()} == {name: p.shape for name, p in case["state_dict"].items()}
    assert not module.training
    inputs = case["planet"], case["global"], case["valid"], case["mine"]
    with torch.no_grad():
        for _ in range(3):  # the first runs are profiled, later ones optimised
            logits, ship_mean, value, log_std = module(*inputs)
    # Against the PyTorch network.
    largest = case["logits"][case["logits"] > -1e8].abs().max()
    assert (logits - case["logits"]).abs().max() <= 5e-6 * max(1, largest)
    assert (ship_mean - case["ship_mean"]).abs().max() <= 5e-6 and (value - case["value"]).abs().max() <= 5e-6
    assert log_std == case["state_dict"]["ship_log_std.log_std"][0]
    # C++'s torch.jit.load and the network built in: the same operations, but the matrix library chooses its kernels by where memory
    # lies, so that last bits may differ from process to process.
    forward = {name: case[name] for name in ("config", "state_dict", "planet", "global", "valid", "mine")}
    forward |= {"logits": logits, "ship_mean": ship_mean, "value": value, "tolerance": {"forward": 1e-6 * max(1, largest.item())}}
    torch.save(forward, tmp_path / "case.pt")
    for more in (["--torchscript", tmp_path / "policy.ts"], ["--layout", "padded"]):
        printed = run("orbit_parity", "policy", "--case", tmp_path / "case.pt", "--json", "-", *more)
        rows = [json.loads(line) for line in printed.splitlines()]
        assert len(rows) == 4 and all(row["ok"] for row in rows), rows
    # Other numbers of states, one that never was among them.
    for states in (2, 3, 31):
        planets, globals_, valid, mine = random_observations(states, torch.Generator().manual_seed(seed + states))
        with torch.no_grad():
            made = module(planets, globals_, valid, mine)
            assert [tuple(t.shape) for t in made] == [(states, 36, 37), (states, 36), (states,), ()]


def test_a_module_is_an_agent(tmp_path):
    """The trained policy plays the same games as weights, as our module, and as a module that Python scripted."""
    weights = ROOT / "weights/orbit_small.pt"
    run("orbit_pack", "torchscript", "--config", ROOT / "configs/ppo.yaml", "--weights", weights, "--output", tmp_path / "ours.ts")

    class Again(torch.nn.Module):
        def __init__(self, inner):
            super().__init__()
            self.inner = inner

        def forward(self, planets: torch.Tensor, globals_: torch.Tensor, valid: torch.Tensor, mine: torch.Tensor):
            return self.inner(planets, globals_, valid, mine)

    torch.jit.script(Again(torch.jit.load(tmp_path / "ours.ts"))).save(str(tmp_path / "python.ts"))

    def games(*arguments):
        common = ["--config", ROOT / "configs/ppo.yaml", "--games", "8", "--json", "-"]
        row = json.loads(run("orbit_eval", *common, *arguments))
        return {key: value for key, value in row.items() if key != "opponent"}

    results = [games("--weights", file, "--opponents", "random") for file in (weights, tmp_path / "ours.ts", tmp_path / "python.ts")]
    assert results[0] == results[1] == results[2] and results[0]["won"] >= 7
    as_opponents = [games("--weights", weights, "--opponents", file) for file in (weights, tmp_path / "python.ts")]
    assert as_opponents[0] == as_opponents[1] and as_opponents[0]["games"] == 8


def test_a_module_in_training(tmp_path):
    weights = ROOT / "weights/orbit_small.pt"
    run("orbit_pack", "torchscript", "--config", ROOT / "configs/ppo.yaml", "--weights", weights, "--output", tmp_path / "a.ts")
    small = ["--set", "training.iterations=1", "--set", "training.episodes_per_iter=2", "--set", "training.horizon=8",
             "--set", "environment.board_bank_size=4", "--set", "evaluation.every=0", "--set", f"output.run_dir={tmp_path}"]
    run("orbit_train", "--config", ROOT / "configs/ppo.yaml", *small, "--set", f"training.opponent={tmp_path / 'a.ts'}")


class Mlp(torch.nn.Module):
    """The modules of src/policy/README.md, with the statistics of their observations."""

    def __init__(self, observation, outputs, hidden):
        super().__init__()

        def network(last):
            sizes = [observation, *hidden]
            layers = [part for pair in zip(sizes, sizes[1:]) for part in (torch.nn.Linear(*pair), torch.nn.Tanh())]
            return torch.nn.Sequential(*layers, torch.nn.Linear(hidden[-1], last))

        self.actor, self.critic = network(outputs), network(1)

    def forward(self, x):
        return self.actor(x), self.critic(x).squeeze(1)


class Rnn(torch.nn.Module):
    def __init__(self, observation, outputs, hidden, memory):
        super().__init__()
        self.embed, self.gru = torch.nn.Linear(observation, hidden), torch.nn.GRU(hidden, memory)
        self.actor, self.critic = torch.nn.Linear(memory, outputs), torch.nn.Linear(memory, 1)

    def forward(self, x, memory, begins):
        memory = torch.where(begins[:, None], 0, memory)
        _, after = self.gru(torch.tanh(self.embed(x))[None], memory[None])
        return self.actor(after[0]), self.critic(after[0]).squeeze(1), after[0]


@pytest.mark.parametrize("kind", ["mlp", "rnn"])
def test_small_networks_are_those_of_the_readme(kind, seed, tmp_path):
    network = [] if kind == "mlp" else ["model.kind=rnn", "model.mlp=null", "model.rnn={hidden: 12, memory: 9, sequence_length: 2}"]
    config, folder = write_config(tmp_path, kind, "mountain_car_continuous")
    run("orbit_train", "--config", config, *(word for setting in network for word in ("--set", setting)))
    run("orbit_pack", "torchscript", "--config", folder / "config.yaml", "--weights", folder / "best.pt", "--output", tmp_path / "a.ts")
    module = torch.jit.load(tmp_path / "a.ts")
    state = torch.load(folder / "best.pt", weights_only=True)
    assert {name: t.shape for name, t in module.state_dict().items()} == {name: t.shape for name, t in state.items()}
    python = Mlp(2, 1, (16, 16)) if kind == "mlp" else Rnn(2, 1, 12, 9)
    statistics = {name: state.pop(name) for name in list(state) if name.startswith("observation_norm.")}
    log_std = state.pop("log_std")
    python.load_state_dict(state)
    draw = torch.Generator().manual_seed(seed)
    for rows in (1, 7, 64):
        x = torch.randn(rows, 2, generator=draw) * torch.tensor([1.0, 0.1])
        more = [] if kind == "mlp" else [torch.randn(rows, 9, generator=draw), torch.rand(rows, generator=draw) < 0.3]
        mean, variance = (statistics[f"observation_norm.observation.{name}"] for name in ("mean", "variance"))
        normalised = ((x - mean.float()) * (variance + 1e-8).rsqrt().float()).clamp(-10, 10)
        with torch.no_grad():
            made, expected = module(x, *more), python(normalised, *more)
        assert torch.equal(made[-1], log_std)
        for ours, theirs in zip(made[:-1], expected, strict=True):
            torch.testing.assert_close(ours, theirs, rtol=1e-5, atol=1e-6)


def test_weights_alone(tmp_path):
    state = {"a.weight": torch.randn(3, 2), "a.bias": torch.randn(3).bfloat16()}
    torch.save({"model": {f"_orig_mod.{name}": t for name, t in state.items()}, "ema": state, "epoch": 3}, tmp_path / "a.pt")
    for output in ("b.pt", "b.safetensors"):
        run("orbit_pack", "weights", "--weights", tmp_path / "a.pt", "--output", tmp_path / output)
        same(read(tmp_path / output), state)
    assert list(torch.load(tmp_path / "b.pt", weights_only=True)) == list(state)


def test_mistakes(tmp_path):
    weights, config = ROOT / "weights/orbit_small.pt", ROOT / "configs/ppo.yaml"
    pack = ["torchscript", "--config", config, "--weights", weights]
    assert ".ts" in run("orbit_pack", *pack, "--output", tmp_path / "a.pt", code=2)
    assert "--output" in run("orbit_pack", *pack, code=2)
    assert "hidden" in run("orbit_pack", *pack, "--set", "model.hidden=33", "--output", tmp_path / "a.ts", code=2)
    run("orbit_pack", *pack, "--output", tmp_path / "nowhere" / "a.ts", code=2)
    run("orbit_pack", "nothing", code=2)
    evaluate = ["--config", config, "--games", "2"]
    (tmp_path / "text.ts").write_text("not a module")
    torch.save({"a": torch.ones(1)}, tmp_path / "dict.ts")
    torch.jit.script(torch.nn.Linear(2, 2)).save(str(tmp_path / "linear.ts"))
    for name in ("missing", "text", "dict", "linear"):
        assert f"{name}.ts" in run("orbit_eval", *evaluate, "--weights", tmp_path / f"{name}.ts", code=2)

    class Odd(torch.nn.Module):
        def forward(self, planets: torch.Tensor, globals_: torch.Tensor, valid: torch.Tensor, mine: torch.Tensor):
            return planets, globals_, valid

    torch.jit.script(Odd()).save(str(tmp_path / "odd.ts"))
    assert "logits" in run("orbit_eval", *evaluate, "--weights", tmp_path / "odd.ts", code=2)
    assert not list(tmp_path.glob("*.tmp*"))


def test_a_key_in_every_program(tmp_path):
    state = torch.load(ROOT / "weights/orbit_small.pt", weights_only=True)
    torch.save({"actor": state, "target": state}, tmp_path / "two.pt")
    config = ["--config", ROOT / "configs/ppo.yaml"]
    evaluate = ["orbit_eval", *config, "--games", "2", "--opponents", "noop", "--weights", tmp_path / "two.pt"]
    train = ["orbit_train", *config, "--dry-run"]
    forms = {"resume": [f"training.resume_from={tmp_path / 'two.pt'}", "training.resume_key=target"],
             "warm start": ["bc_warmstart.enabled=true", f"bc_warmstart.weights_path={tmp_path / 'two.pt'}",
                            "bc_warmstart.weights_key=actor"]}
    assert "actor, target" in run(*evaluate, code=2)
    run(*evaluate, "--key", "target")
    for sets in forms.values():
        parts = [part for value in sets for part in ("--set", value)]
        assert "actor, target" in run(*train, *parts[:-2], code=2)
        run(*train, *parts)
    assert "several" in inspect(tmp_path / "two.pt").stdout.decode()

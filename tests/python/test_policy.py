"""The PyTorch reference against numbers of the original code (tests/data/features/policy.pt), then our program against the
reference on fresh random weights and inputs."""
import json
import os
import subprocess
from pathlib import Path

import pytest
import torch

import policy_reference as ref

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests/data/features"
PARITY = Path(os.environ.get("ORBIT_BIN_DIR", ROOT / "build/bin")) / "orbit_parity"


def close(name, ours, theirs, tolerance, rtol=0.0):
    worst = (ours.double() - theirs.double()).abs() - rtol * theirs.double().abs()
    at = worst.argmax()
    assert worst.max() <= tolerance, f"{name}[{int(at)}]: {ours.flatten()[at]} is not {theirs.flatten()[at]} (+-{tolerance})"


@pytest.fixture(scope="module")
def fixture():
    return torch.load(DATA / "policy.pt", weights_only=True)


def model_of(config, state):
    model = ref.ActorCritic(config["hidden"], config["heads"], config["inducing"], config["layers"], no_op_bias=config["no_op_bias"])
    model.load_state_dict(state)
    return model


def forward(model, fixture):
    return model(fixture["planet"], fixture["global"], fixture["valid"])


def test_reference_forward_and_distribution(fixture):
    model = model_of(fixture["config"], fixture["state_dict"])
    with torch.no_grad():
        output = forward(model, fixture)
        reference = forward(model_of(fixture["config"], fixture["ref_state_dict"]), fixture)
        log_prob, entropy = ref.evaluate(output, fixture["mine"], fixture["target"], fixture["x"])
    for name, ours in zip(("logits", "ship_mean", "value"), output):
        close(name, ours, fixture[name], 1e-5)
    close("ref_logits", reference[0], fixture["ref_logits"], 1e-5)
    close("log_prob", log_prob, fixture["log_prob"], 1e-4)
    close("entropy", entropy, fixture["entropy"], 1e-4)
    owned = fixture["mine"]
    assert (torch.where(owned, output[0].argmax(-1), ref.P) == fixture["greedy_argmax"]).all()
    assert (torch.where(owned, output[0][..., : ref.P].argmax(-1), ref.P) == fixture["greedy_fire"]).all()


def test_reference_loss_gradients_and_step(fixture):
    model = model_of(fixture["config"], fixture["state_dict"])
    step = fixture["step"]
    optimizer = torch.optim.AdamW(model.parameters(), lr=step["lr"], weight_decay=step["weight_decay"])
    with torch.no_grad():
        reference = forward(model_of(fixture["config"], fixture["ref_state_dict"]), fixture)
    terms = ref.loss_terms(forward(model, fixture), fixture["mine"], fixture["target"], fixture["x"], fixture["loss"], reference)
    stored = {"policy": "policy_loss", "value": "value_loss", "kl": "bc_kl"}
    for name, ours in terms.items():
        close(name, ours.detach(), fixture["loss"]["out_" + stored.get(name, name)], 1e-4)
    terms["loss"].backward()
    for name, parameter in model.named_parameters():
        close("grad " + name, parameter.grad, fixture["grad"][name], 2e-3)
    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), step["max_grad_norm"])
    close("grad_norm", norm, step["grad_norm"], 0, rtol=1e-4)
    clipped = {name: parameter.grad.clone() for name, parameter in model.named_parameters()}
    optimizer.step()
    for name, ours in model.state_dict().items():
        sure = clipped[name].abs() > 1e-4  # elsewhere Adam's first step is the sign of rounding noise
        close("step " + name, ours * sure, step["state_dict"][name] * sure, 1e-6)


def test_reference_gae(fixture):
    g = fixture["gae"]
    advantages, returns = ref.gae(g["rewards"], g["values"], g["ends"], g["gamma"], g["lambda"])
    close("advantages", advantages, g["advantages"], 1e-12)
    close("returns", returns, g["returns"], 1e-12)
    normalised = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    close("normalised", normalised, g["normalised"], 1e-6)


def test_released_size():
    model = ref.ActorCritic()
    assert len(model.state_dict()) == 138
    assert sum(p.numel() for p in model.parameters()) == 3_148_227


# --- Ours against the reference: fresh weights and inputs ---

def random_inputs(states, generator):
    """State 0 without planets, state 1 without an owned one, else about 28 planets, a fifth of them owned."""
    valid = torch.rand(states, ref.P, generator=generator) < 28 / 36
    mine = valid & (torch.rand(states, ref.P, generator=generator) < 0.21)
    valid[0], mine[:2] = False, False
    planets = torch.randn(states, ref.P, ref.F, generator=generator) * valid[..., None]
    return planets, torch.randn(states, ref.G, generator=generator), valid, mine


def smallest_relu_input(model, inputs):
    """How near any ReLU is to its kink. There a gradient jumps, and rounding decides the side: such inputs are drawn anew."""
    nearest = []
    hooks = [m.register_forward_pre_hook(lambda _, x: nearest.append(x[0].abs().min().item()))
             for m in model.modules() if isinstance(m, torch.nn.ReLU)]
    with torch.no_grad():
        model(*inputs)
    for hook in hooks:
        hook.remove()
    return min(nearest)


def random_model(config, generator):
    model = ref.ActorCritic(config["hidden"], config["heads"], config["inducing"], config["layers"], no_op_bias=config["no_op_bias"])
    with torch.no_grad():
        for parameter in model.parameters():  # no zeros and ones: every tensor must matter
            parameter += 0.05 * torch.randn(parameter.shape, generator=generator)
    return model


def make_case(config, states, seed):
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    model, reference = random_model(config, generator), random_model(config, generator)
    for _ in range(50):
        planets, globals_, valid, mine = random_inputs(states, generator)
        if smallest_relu_input(model, (planets, globals_, valid)) > 1e-6:
            break
    output = model(planets, globals_, valid)
    with torch.no_grad():
        anchor = reference(planets, globals_, valid)
        drawn = torch.distributions.Categorical(logits=output[0]).sample()
        target = torch.where(mine, drawn, ref.P)
        x = torch.where(mine, output[1] + torch.randn(mine.shape, generator=generator), 0.0)
        old = ref.evaluate(output, mine, target, x)[0] + 0.3 * torch.randn(states, generator=generator)
    loss = {"old_log_prob": old, "advantages": torch.randn(states, generator=generator),
            "returns": torch.randn(states, generator=generator), "clip_eps": 0.2, "value_coef": 0.5, "entropy_coef": 0.01,
            "kl_beta": 0.1}
    terms = ref.loss_terms(output, mine, target, x, loss, anchor)
    terms["loss"].backward()
    # Before the step: the output's log_std is a view of the parameter.
    log_prob, entropy = (value.detach() for value in ref.evaluate(output, mine, target, x))
    stored = {"policy": "policy_loss", "value": "value_loss", "kl": "bc_kl"}
    loss |= {"out_" + stored.get(name, name): value.detach() for name, value in terms.items()}
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    grad = {name: p.grad.clone() for name, p in model.named_parameters()}
    step = {"lr": 1e-3, "weight_decay": 1e-2, "max_grad_norm": 0.5}
    optimizer = torch.optim.AdamW(model.parameters(), lr=step["lr"], weight_decay=step["weight_decay"])
    step["grad_norm"] = torch.nn.utils.clip_grad_norm_(model.parameters(), step["max_grad_norm"])
    step["clipped"] = {name: p.grad.clone() for name, p in model.named_parameters()}
    optimizer.step()
    step["state_dict"] = model.state_dict()
    return {"config": config, "state_dict": before, "ref_state_dict": reference.state_dict(), "planet": planets, "global": globals_,
            "valid": valid, "mine": mine, "logits": output[0].detach(), "ship_mean": output[1].detach(), "value": output[2].detach(),
            "target": target, "x": x, "log_prob": log_prob, "entropy": entropy, "loss": loss, "grad": grad, "step": step,
            # 1e-6 is the aim of the forward (relative to the largest logit), a hundred times that the contract.
            "tolerance": {"forward": 3e-6, "score": 1e-4, "loss": 2e-5, "gradient": 1e-6, "gradient_relative": 1e-4}}


def run_parity(path, *more):
    done = subprocess.run([PARITY, "policy", "--case", path, "--json", "-", *more], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


needs_program = pytest.mark.skipif(not PARITY.exists(), reason=f"{PARITY} is not built")
SIZES = [
    {"hidden": 32, "heads": 4, "inducing": 8, "layers": 1, "no_op_bias": 8.0},
    {"hidden": 36, "heads": 3, "inducing": 5, "layers": 2, "no_op_bias": 0.0},  # heads that fill no whole vector
    {"hidden": 64, "heads": 4, "inducing": 8, "layers": 2, "no_op_bias": 2.5},
    {"hidden": 192, "heads": 8, "inducing": 24, "layers": 4, "no_op_bias": 8.0},
]


@needs_program
@pytest.mark.parametrize("layout", ["packed", "padded"])
@pytest.mark.parametrize("config", SIZES, ids=lambda c: f"hidden{c['hidden']}")
def test_ours_on_fresh_cases(config, layout, tmp_path):
    seed = int(os.environ.get("ORBIT_TEST_SEED", torch.seed() % 2**31))
    print(f"repeat with ORBIT_TEST_SEED={seed}")
    case = make_case(config, 9, seed)
    torch.save(case, tmp_path / "case.pt")
    code, rows = run_parity(tmp_path / "case.pt", "--layout", layout)
    assert code == 0, [row for row in rows if not row["ok"]]
    assert len(rows) == 4 + 2 + 7 + 3 * len(case["grad"]) + 1


# One fault at a time in the case, as if ours had it: the check must fail.
def swap(state, a, b):
    state[a], state[b] = state[b], state[a]


FAULTS = {
    "transposed weight": lambda c: c["state_dict"].update({"value_head.net.0.weight": c["state_dict"]["value_head.net.0.weight"].T}),
    "swapped norms": lambda c: swap(c["state_dict"], "backbone.pool.mab.ln1.weight", "backbone.pool.mab.ln2.weight"),
    "swapped blocks": lambda c: swap(c["state_dict"], "backbone.encoder.0.mab1.mha.in_proj_weight", "backbone.encoder.0.mab2.mha.in_proj_weight"),
    "missing mask": lambda c: c["valid"].__setitem__((3, c["valid"][3].logical_not().nonzero()[0]), True),
    "no-op bias": lambda c: c["config"].update({"no_op_bias": 7.99}),
    "advantage sign": lambda c: c["loss"].update({"advantages": -c["loss"]["advantages"]}),
    "clip range": lambda c: c["loss"].update({"clip_eps": 0.1}),
    "entropy sign": lambda c: c["loss"].update({"entropy_coef": -0.01}),
    "other reference": lambda c: c.update({"ref_state_dict": c["state_dict"]}),
    "learning rate": lambda c: c["step"].update({"lr": 1.01e-3}),
    "weight decay": lambda c: c["step"].update({"weight_decay": 0.0}),
    "clip norm": lambda c: c["step"].update({"max_grad_norm": 0.45}),
    "owned row": lambda c: c["mine"].__setitem__((3, c["mine"][3].nonzero()[0]), False),
}


@needs_program
@pytest.mark.parametrize("fault", FAULTS)
def test_harness_fails_on_faults(fault, tmp_path):
    seed = int(os.environ.get("ORBIT_TEST_SEED", torch.seed() % 2**31))
    print(f"repeat with ORBIT_TEST_SEED={seed}")
    case = make_case(SIZES[0], 24, seed)
    FAULTS[fault](case)
    torch.save(case, tmp_path / "case.pt")
    code, rows = run_parity(tmp_path / "case.pt")
    assert code == 1 and any(not row["ok"] for row in rows)

"""The PyTorch reference against numbers of the original code (tests/data/features/policy.pt), then our program against the
reference on fresh random weights and inputs."""
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import gae_reference
import policy_reference as ref

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))
from parity_reference import OBSERVATIONS, SIZES, policy_case  # noqa: E402

DATA = ROOT / "tests/data/features"
PARITY = Path(os.environ.get("ORBIT_BUILD_DIR", ROOT / "build")) / "bin" / "orbit_parity"


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
    column = {name: g[name][:, None] for name in ("rewards", "values")}
    ends = {"terminated": g["ends"][:, None], "truncated": torch.zeros_like(g["ends"])[:, None], "final_values": column["values"]}
    advantages, returns = gae_reference.advantages(column | ends | {"gamma": g["gamma"], "lambda": g["lambda"]})
    close("advantages", advantages[:, 0], g["advantages"], 1e-12)
    close("returns", returns[:, 0], g["returns"], 1e-12)
    normalised = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    close("normalised", normalised[:, 0], g["normalised"], 1e-6)


def test_released_size():
    model = ref.ActorCritic()
    assert len(model.state_dict()) == 138
    assert sum(p.numel() for p in model.parameters()) == 3_148_227


# --- Ours against the reference: fresh weights and inputs ---

def run_parity(path, *more):
    done = subprocess.run([PARITY, "policy", "--case", path, "--json", "-", *more], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("observations", OBSERVATIONS)
@pytest.mark.parametrize("layout", ["packed", "padded"])
@pytest.mark.parametrize("config", SIZES, ids=lambda c: f"hidden{c['hidden']}")
def test_ours_on_fresh_cases(config, layout, observations, tmp_path):
    seed = int(os.environ.get("ORBIT_TEST_SEED", torch.seed() % 2**31))
    print(f"repeat with ORBIT_TEST_SEED={seed}")
    case = policy_case(config, 9, seed, OBSERVATIONS[observations])
    torch.save(case, tmp_path / "case.pt")
    code, rows = run_parity(tmp_path / "case.pt", "--layout", layout)
    assert code == 0, [row for row in rows if not row["ok"]]
    assert len(rows) == 4 + 3 + 7 + 3 * len(case["grad"]) + 1


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


@pytest.mark.parametrize("fault", FAULTS)
def test_harness_fails_on_faults(fault, tmp_path):
    seed = int(os.environ.get("ORBIT_TEST_SEED", torch.seed() % 2**31))
    print(f"repeat with ORBIT_TEST_SEED={seed}")
    case = policy_case(SIZES[0], 24, seed)
    FAULTS[fault](case)
    torch.save(case, tmp_path / "case.pt")
    code, rows = run_parity(tmp_path / "case.pt")
    assert code == 1 and any(not row["ok"] for row in rows)

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

#!/usr/bin/env python3
"""Cases for orbit_parity, made with PyTorch: random weights, random and real observations, several sizes.

    scripts/parity_reference.py FOLDER [--seed N] [--only policy gae update sample features env]
    for c in policy gae update sample; do build/bin/orbit_parity $c --case FOLDER; done
    build/bin/orbit_parity features --data FOLDER/features; build/bin/orbit_parity env --trace FOLDER/env/*

The network, its distribution and loss are those of tests/python/policy_reference.py, advantages and draws are written here from
the papers. features and env need the official game (pip install --no-deps kaggle-environments==1.33.2). Needs torch and numpy.
"""
import argparse
import random
import sys
from pathlib import Path

import numpy as np
import torch

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tests/python"), str(ROOT / "tests/data")]
import gae_reference  # noqa: E402
import policy_reference as ref  # noqa: E402
import sampling_reference  # noqa: E402

SIZES = [
    {"hidden": 32, "heads": 4, "inducing": 8, "layers": 1, "no_op_bias": 8.0},
    {"hidden": 36, "heads": 3, "inducing": 5, "layers": 2, "no_op_bias": 0.0},  # heads that fill no whole vector
    {"hidden": 64, "heads": 4, "inducing": 8, "layers": 2, "no_op_bias": 2.5},
    {"hidden": 192, "heads": 8, "inducing": 24, "layers": 4, "no_op_bias": 8.0},
]
COEFFICIENTS = {"clip_eps": 0.2, "value_coef": 0.5, "entropy_coef": 0.01, "kl_beta": 0.1}


# --- networks and observations ---

def random_observations(states, generator):
    """State 0 without planets, state 1 without an owned one, else about 28 planets, a fifth of them owned."""
    valid = torch.rand(states, ref.P, generator=generator) < 28 / 36
    mine = valid & (torch.rand(states, ref.P, generator=generator) < 0.21)
    valid[0], mine[:2] = False, False
    planets = torch.randn(states, ref.P, ref.F, generator=generator) * valid[..., None]
    return planets, torch.randn(states, ref.G, generator=generator), valid, mine


def real_observations(states, generator):
    """Features that the original computed from official games and altered boards (tests/data/features)."""
    with np.load(ROOT / "tests/data/features/cases.npz") as cases:
        rows = torch.randperm(len(cases["step"]), generator=generator)[:states].numpy()
        taken = [torch.from_numpy(cases[name][rows]) for name in ("out_planet", "out_global", "out_valid", "out_mine")]
    return taken[0], taken[1], taken[2].bool(), taken[3].bool()


OBSERVATIONS = {"random": random_observations, "real": real_observations}


def random_model(config, generator, spread=0.05):
    model = ref.ActorCritic(config["hidden"], config["heads"], config["inducing"], config["layers"], no_op_bias=config["no_op_bias"])
    with torch.no_grad():
        for parameter in model.parameters():  # no zeros and ones: every tensor must matter
            parameter += spread * torch.randn(parameter.shape, generator=generator)
    return model


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


def named(observations):
    return dict(zip(("planet", "global", "valid", "mine"), observations, strict=True))


def by_name(tensors):
    return {name: tensor.detach().clone() for name, tensor in tensors}


def gradients(model):
    return {name: p.grad.clone() for name, p in model.named_parameters()}


def minibatch(model, observations, generator):
    """Actions of the model's own distribution, scored by a policy that was a little different, with random advantages."""
    planets, globals_, valid, mine = observations
    states = len(valid)
    with torch.no_grad():
        output = model(planets, globals_, valid)
        drawn = torch.distributions.Categorical(logits=output[0]).sample()
        target = torch.where(mine, drawn, ref.P)
        x = torch.where(mine, output[1] + torch.randn(mine.shape, generator=generator), 0.0)
        old = ref.evaluate(output, mine, target, x)[0] + 0.3 * torch.randn(states, generator=generator)
    return {**named(observations), "target": target, "x": x, "old_log_prob": old,
            "advantages": torch.randn(states, generator=generator), "returns": torch.randn(states, generator=generator)}


# --- cases ---

def policy_case(config, states, seed, observations=random_observations):
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    model, reference = random_model(config, generator), random_model(config, generator)
    for _ in range(50):
        seen = observations(states, generator)
        if smallest_relu_input(model, seen[:3]) > 1e-6:
            break
    batch = minibatch(model, seen, generator)
    mine, target, x = batch["mine"], batch["target"], batch["x"]
    output = model(*seen[:3])
    with torch.no_grad():
        anchor = reference(*seen[:3])
        divergence = ref.kl(output, anchor, mine)
    loss = {"old_log_prob": batch["old_log_prob"], "advantages": batch["advantages"], "returns": batch["returns"], **COEFFICIENTS}
    terms = ref.loss_terms(output, mine, target, x, loss, anchor)
    terms["loss"].backward()
    # Before the step: the output's log_std is a view of the parameter.
    log_prob, entropy = (value.detach() for value in ref.evaluate(output, mine, target, x))
    stored = {"policy": "policy_loss", "value": "value_loss", "kl": "bc_kl"}
    loss |= {"out_" + stored.get(name, name): value.detach() for name, value in terms.items()}
    before, grad = by_name(model.named_parameters()), gradients(model)
    step = {"lr": 1e-3, "weight_decay": 1e-2, "max_grad_norm": 0.5}
    optimizer = torch.optim.AdamW(model.parameters(), lr=step["lr"], weight_decay=step["weight_decay"])
    step["grad_norm"] = torch.nn.utils.clip_grad_norm_(model.parameters(), step["max_grad_norm"])
    step["clipped"] = gradients(model)
    optimizer.step()
    step["state_dict"] = model.state_dict()
    # A gradient is a sum over states whose terms may cancel, and a ReLU within rounding of 0 passes a state's share on one side alone:
    # a small absolute allowance beside the relative one.
    return {"config": config, "state_dict": before, "ref_state_dict": reference.state_dict(), **named(seen),
            "logits": output[0].detach(), "ship_mean": output[1].detach(), "value": output[2].detach(), "target": target, "x": x,
            "log_prob": log_prob, "entropy": entropy, "kl": divergence, "loss": loss, "grad": grad, "step": step,
            # 1e-6 is the aim of the forward (relative to the largest logit), 1e-4 the contract; PyTorch itself is
            # 2e-6 from its own float64 at the released size on real features.
            "tolerance": {"forward": 5e-6, "score": 1e-4, "loss": 2e-5, "gradient": 1e-5, "gradient_relative": 1e-4}}


def gae_case(seed):
    return gae_reference.case(torch.Generator().manual_seed(seed))


def update_case(config, states, seed, observations=random_observations, before=3, updates=10):
    """A checkpoint in the middle of a training run in PyTorch, and what the next updates make of it."""
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    # Fresh weights and the learning rate of real runs: with wild ones the training itself is chaotic, and rounding grows. So it
    # does at full width, where most gradients are small enough for Adam to follow the sign of their rounding.
    model, reference = random_model(config, generator, 0.0), random_model(config, generator, 0.0)
    lr, max_grad_norm = 1e-4 if config["hidden"] < 192 else 1e-5, 0.5
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr, weight_decay=0.1)  # so much that its lack would show

    def update(batch):
        optimizer.zero_grad()
        inputs = batch["planet"], batch["global"], batch["valid"]
        with torch.no_grad():
            anchor = reference(*inputs)
        ref.loss_terms(model(*inputs), batch["mine"], batch["target"], batch["x"], batch | COEFFICIENTS, anchor)["loss"].backward()
        norm = torch.nn.utils.clip_grad_norm_(model.parameters(), max_grad_norm)
        clipped = gradients(model)
        optimizer.step()
        return {"grad_norm": norm, "clipped": clipped}

    for _ in range(before):
        update(minibatch(model, observations(states, generator), generator))
    saved = {"state_dict": by_name(model.state_dict().items()), "optimizer": copied(optimizer.state_dict())}
    batches, after = [], []
    for _ in range(updates):
        batches.append(minibatch(model, observations(states, generator), generator))
        after.append(update(batches[-1]))
    return {"config": config, **saved, "ref_state_dict": reference.state_dict(), "max_grad_norm": max_grad_norm, **COEFFICIENTS,
            "batches": batches, "after": after, "state_dict_after": by_name(model.state_dict().items())}


def copied(value):
    if isinstance(value, torch.Tensor):
        return value.clone()
    if isinstance(value, dict):
        return {key: copied(entry) for key, entry in value.items()}
    return [copied(entry) for entry in value] if isinstance(value, list) else value


def sample_case(config, states, seed, observations=random_observations, draws=2000):
    generator = torch.Generator().manual_seed(seed)
    torch.manual_seed(seed)
    model = random_model(config | {"no_op_bias": 0.0}, generator)
    seen = observations(states, generator)
    with torch.no_grad():
        logits, mean, _, log_std = model(*seen[:3])
    sigma = ref.sigma_of(log_std).item()
    key = {"seed": int(torch.randint(2**62, (), generator=generator)), "step": torch.randint(2**31, (), generator=generator),
           "agent": torch.randint(2**31, (states,), generator=generator)}
    return {"config": config | {"no_op_bias": 0.0}, "state_dict": model.state_dict(), **named(seen), **key,
            **sampling_reference.actions(logits, mean, sigma, seen[3], key), **sampling_reference.greedy(logits, seen[3]),
            "frequencies": {"draws": draws, "probability": logits.double().softmax(-1), "mean": mean.double(), "sigma": sigma}}


# --- files ---

def write_networks(folder, command, make, seed, states):
    for config in SIZES:
        for kind, observations in OBSERVATIONS.items():
            case = make(config, states, seed, observations)
            torch.save(case, folder / f"{command}-hidden{config['hidden']}-{kind}.pt")


def write_features(folder, seed):
    import feature_boards
    feature_boards.write_all(folder / "features", random.Random(seed))


def write_games(folder, seed):
    """Games of 2 and 4 players, light to heavy play."""
    import oracle
    rng = random.Random(seed)
    (folder / "env").mkdir(exist_ok=True)
    for players in (2, 4):
        for policy in ("light", "greedy", "comet", "chaos"):
            game = oracle.run_episode(players, rng.randrange(2**31), policy, rng.randrange(10**9), max_ticks=120)
            oracle.dump(game, str(folder / "env" / f"{policy}-{players}p.jsonl.gz"))


WRITERS = {
    "policy": lambda folder, seed: write_networks(folder, "policy", policy_case, seed, states=9),
    "gae": lambda folder, seed: [torch.save(gae_case(seed + i), folder / f"gae-{i}.pt") for i in range(4)],
    "update": lambda folder, seed: write_networks(folder, "update", update_case, seed, states=9),
    "sample": lambda folder, seed: write_networks(folder, "sample", sample_case, seed, states=9),
    "features": write_features,
    "env": write_games,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--seed", type=int, help="of all random numbers; a new one by default")
    parser.add_argument("--only", nargs="+", choices=WRITERS, default=list(WRITERS), help="commands to write cases for")
    given = parser.parse_args()
    torch.set_num_threads(1)
    seed = random.SystemRandom().randrange(2**31) if given.seed is None else given.seed
    print(f"seed {seed}")
    given.folder.mkdir(parents=True, exist_ok=True)
    for command in given.only:
        WRITERS[command](given.folder, seed)


if __name__ == "__main__":
    main()

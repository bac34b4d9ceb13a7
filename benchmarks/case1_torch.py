#!/usr/bin/env python3
"""The PyTorch side of case1_vs_python.py: the reference policy (tests/python/policy_reference.py) as anybody would train it, eager.
Prints a line of JSON for each line on standard input. The first argument is a file to write weights, inputs and outputs into, so that
the other side can show that it computes the same; the second the number of threads."""
import json
import sys
import time
from pathlib import Path

import numpy
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "python"))
import policy_reference as ref  # noqa: E402

STATES, MINIBATCH, STEPS, MINIBATCHES = 32, 256, 32, 8  # both seats of 16 games
EPS, VALUE, ENTROPY, LR, DECAY, NORM = 0.2, 0.5, 0.01, 1e-4, 1e-5, 0.5  # configs/case1.yaml


def observation(states, generator):
    """28 planets of 36 and 6 own ones on average, as in a game; all 36 rows are computed whatever is in them."""
    valid = torch.rand(states, ref.P, generator=generator) < 28 / 36
    mine = valid & (torch.rand(states, ref.P, generator=generator) < 0.21)
    planets = torch.randn(states, ref.P, ref.F, generator=generator) * valid[..., None]
    return planets, torch.randn(states, ref.G, generator=generator), valid, mine


def act(model, planets, globals_, valid, mine):
    with torch.inference_mode():
        output = model(planets, globals_, valid)
        target = torch.distributions.Categorical(logits=output[0]).sample()
        x = output[1] + ref.sigma_of(output[3]) * torch.randn_like(output[1])
        return target, x, ref.evaluate(output, mine, target, x)[0], output[2]


def learn(model, optimizer, batch):
    output = model(batch["planets"], batch["globals"], batch["valid"])
    log_prob, entropy = ref.evaluate(output, batch["mine"], batch["target"], batch["x"])
    ratio, a = (log_prob - batch["old_log_prob"]).exp(), batch["advantages"]
    loss = (-torch.minimum(ratio * a, ratio.clamp(1 - EPS, 1 + EPS) * a).mean()
            + VALUE * (output[2] - batch["returns"]).square().mean() - ENTROPY * entropy.mean())
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), NORM)
    optimizer.step()


def timed(work):
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def main():
    torch.set_num_threads(int(sys.argv[2]))
    torch.manual_seed(0)
    generator = torch.Generator().manual_seed(0)
    model = ref.ActorCritic()
    seen = observation(STATES, generator)
    batch = dict(zip(("planets", "globals", "valid", "mine"), observation(MINIBATCH, generator)))
    target, x, old, _ = act(model, *batch.values())
    batch |= {"target": target.clone(), "x": x.clone(), "old_log_prob": old.clone(),
              "advantages": torch.randn(MINIBATCH, generator=generator), "returns": torch.randn(MINIBATCH, generator=generator)}
    with torch.inference_mode():
        logits, mean, value, _ = model(*seen[:3])
    state = {"weight:" + name: p.detach().numpy() for name, p in model.named_parameters()}
    numpy.savez(sys.argv[1], **state, **{"batch:" + k: v.numpy() for k, v in batch.items()},
                **{"seen:" + k: v.numpy() for k, v in zip(("planets", "globals", "valid", "mine"), seen)},
                logits=logits.numpy(), ship_mean=mean.numpy(), value=value.numpy())
    optimizer = torch.optim.AdamW(model.parameters(), lr=LR, weight_decay=DECAY)
    act(model, *seen)
    learn(model, optimizer, batch)
    print(f"torch {torch.__version__}", flush=True)
    for _ in sys.stdin:
        rollout = timed(lambda: [act(model, *seen) for _ in range(STEPS)])
        update = timed(lambda: [learn(model, optimizer, batch) for _ in range(MINIBATCHES)])
        print(json.dumps({"rollout": rollout, "update": update}), flush=True)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""The JAX side of case1_vs_python.py: the same policy, loss and optimizer as functions under jit, parameters donated. Prints a line
of JSON for each line on standard input, after it has shown on the inputs of the file in its first argument that it computes what
PyTorch does."""
import json
import math
import sys
import time

import jax
import jax.numpy as jnp
import numpy

P, HEADS, LAYERS, NO_OP_BIAS = 36, 8, 4, 8.0
STEPS, MINIBATCHES = 32, 8
EPS, VALUE, ENTROPY, LR, DECAY, NORM = 0.2, 0.5, 0.01, 1e-4, 1e-5, 0.5


def linear(w, name, x):
    return x @ w[name + ".weight"].T + w[name + ".bias"]


def layer_norm(w, name, x):
    centred = x - x.mean(-1, keepdims=True)
    return centred * jax.lax.rsqrt(jnp.square(centred).mean(-1, keepdims=True) + 1e-5) * w[name + ".weight"] + w[name + ".bias"]


def block(w, name, x, y, valid=None):
    """Attention of x (B, M, H) over y (B, N, H), then norms and feed-forward."""
    h = x.shape[-1]
    weights, biases = jnp.split(w[name + ".mha.in_proj_weight"], 3), jnp.split(w[name + ".mha.in_proj_bias"], 3)
    q, k, v = (rows @ m.T + b for rows, m, b in zip((x, y, y), weights, biases))
    q, k, v = (t.reshape(t.shape[0], t.shape[1], HEADS, h // HEADS) for t in (q, k, v))
    scores = jnp.einsum("bmhd,bnhd->bhmn", q, k) / math.sqrt(h // HEADS)
    if valid is not None:
        scores = jnp.where(valid[:, None, None], scores, -1e9)
    attended = jnp.einsum("bhmn,bnhd->bmhd", jax.nn.softmax(scores), v).reshape(q.shape[0], q.shape[1], h)
    x = layer_norm(w, name + ".ln1", x + linear(w, name + ".mha.out_proj", attended))
    return layer_norm(w, name + ".ln2", x + linear(w, name + ".ff.2", jax.nn.relu(linear(w, name + ".ff.0", x))))


def head(w, name, x):
    return linear(w, name + ".3", jax.nn.relu(linear(w, name + ".0", x)))


def forward(w, planets, globals_, valid):
    states = planets.shape[0]
    everywhere = lambda t: jnp.broadcast_to(t, (states, *t.shape[1:]))
    h = linear(w, "backbone.in_proj", planets) * valid[..., None]
    for layer in range(LAYERS):
        name = f"backbone.encoder.{layer}"
        points = block(w, name + ".mab1", everywhere(w[name + ".inducing"]), h, valid)
        h = block(w, name + ".mab2", h, points) * valid[..., None]
    pooled = block(w, "backbone.pool.mab", everywhere(w["backbone.pool.seeds"]), h, valid)[:, 0]
    ctx = linear(w, "backbone.psi.2", jax.nn.relu(linear(w, "backbone.psi.0", jnp.concatenate([pooled, globals_], -1))))
    hc = jnp.concatenate([h, jnp.broadcast_to(ctx[:, None], h.shape)], -1)
    q = head(w, "head_per_planet.src_proj", hc)
    k = head(w, "head_per_planet.tgt_proj", hc) @ w["head_per_planet.pair_proj.weight"].T
    pairs = jnp.where(valid[:, None], jnp.einsum("bsh,bth->bst", q, k), -1e9)
    noop = q @ w["head_per_planet.noop_query"][0].T - NO_OP_BIAS
    value = linear(w, "value_head.net.2", jax.nn.relu(linear(w, "value_head.net.0", ctx)))[..., 0]
    return jnp.concatenate([pairs, noop], -1), head(w, "head_per_planet.ship_head", hc)[..., 0], value


def evaluate(w, logits, mean, mine, target, x):
    sigma = jnp.maximum(jnp.exp(w["ship_log_std.log_std"][0]), 1e-3)
    log_p = jax.nn.log_softmax(logits)
    chosen = jnp.take_along_axis(log_p, target[..., None], -1)[..., 0]
    log_prob = chosen - 0.5 * jnp.square((x - mean) / sigma) - jnp.log(sigma) - 0.5 * math.log(2 * math.pi)
    entropy = -(jnp.exp(log_p) * log_p).sum(-1) + 0.5 + 0.5 * math.log(2 * math.pi) + jnp.log(sigma)
    return (log_prob * mine).sum(-1), (entropy * mine).sum(-1)


@jax.jit
def act(w, seen, key):
    logits, mean, value = forward(w, seen["planets"], seen["globals"], seen["valid"])
    draw, noise = jax.random.split(key)
    target = jax.random.categorical(draw, logits)
    x = mean + jnp.maximum(jnp.exp(w["ship_log_std.log_std"][0]), 1e-3) * jax.random.normal(noise, mean.shape)
    return target, x, evaluate(w, logits, mean, seen["mine"], target, x)[0], value


def loss(w, b):
    logits, mean, value = forward(w, b["planets"], b["globals"], b["valid"])
    log_prob, entropy = evaluate(w, logits, mean, b["mine"], b["target"], b["x"])
    ratio, a = jnp.exp(log_prob - b["old_log_prob"]), b["advantages"]
    surrogate = jnp.minimum(ratio * a, jnp.clip(ratio, 1 - EPS, 1 + EPS) * a)
    return -surrogate.mean() + VALUE * jnp.square(value - b["returns"]).mean() - ENTROPY * entropy.mean()


def learn(state, b):
    """AdamW after clipping, as torch.optim.AdamW and clip_grad_norm_."""
    w, first, second, step = state
    gradient = jax.grad(loss)(w, b)
    norm = jnp.sqrt(sum(jnp.square(g).sum() for g in jax.tree.leaves(gradient)))
    gradient = jax.tree.map(lambda g: g * jnp.minimum(1.0, NORM / (norm + 1e-6)), gradient)
    step = step + 1
    first = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, first, gradient)
    second = jax.tree.map(lambda v, g: 0.999 * v + 0.001 * g * g, second, gradient)
    scale, root = LR / (1 - 0.9**step), jnp.sqrt(1 - 0.999**step)
    w = jax.tree.map(lambda p, m, v: p * (1 - LR * DECAY) - scale * m / (jnp.sqrt(v) / root + 1e-8), w, first, second)
    return w, first, second, step


learn = jax.jit(learn, donate_argnums=0)


def timed(work):
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    return {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}


def main():
    file = numpy.load(sys.argv[1])
    part = lambda prefix: {k[len(prefix):]: jnp.asarray(file[k]) for k in file.files if k.startswith(prefix)}
    w, batch, seen = part("weight:"), part("batch:"), part("seen:")
    outputs = jax.jit(forward)(w, seen["planets"], seen["globals"], seen["valid"])
    for name, ours in zip(("logits", "ship_mean", "value"), outputs):
        rows = file["seen:valid"] if ours.ndim > 1 else slice(None)
        gap = numpy.abs(numpy.asarray(ours)[rows] - file[name][rows]).max()
        assert gap < 1e-3, f"{name} differs from PyTorch's by {gap}"
    state = [w, jax.tree.map(jnp.zeros_like, w), jax.tree.map(jnp.zeros_like, w), jnp.zeros(())]
    key = jax.random.key(0)

    def rollout():
        for step in range(STEPS):
            jax.block_until_ready(act(state[0], seen, jax.random.fold_in(key, step)))

    def update():
        for _ in range(MINIBATCHES):
            state[:] = learn(tuple(state), batch)
        jax.block_until_ready(state)

    rollout(), update()  # compiles
    print(f"jax {jax.__version__}", flush=True)
    for _ in sys.stdin:
        print(json.dumps({"rollout": timed(rollout), "update": timed(update)}), flush=True)


if __name__ == "__main__":
    main()

"""How actions are drawn, in NumPy: Philox 4x32-10 (Salmon et al. 2011), inverse CDF for targets, Box-Muller for ships. A row's
four random words are those of the counter (slot, step, agent, stream 2) under the run's seed."""
import numpy as np
import torch

POLICY_STREAM = 2
P = 36


def philox(key, counter):
    """Ten rounds on four 32-bit words; key: 64 bits."""
    words, low, high = [int(w) for w in counter], key & 0xFFFFFFFF, key >> 32
    for _ in range(10):
        a, b = words[0] * 0xD2511F53, words[2] * 0xCD9E8D57
        words = [(b >> 32) ^ words[1] ^ low, b & 0xFFFFFFFF, (a >> 32) ^ words[3] ^ high, a & 0xFFFFFFFF]
        low, high = (low + 0x9E3779B9) & 0xFFFFFFFF, (high + 0xBB67AE85) & 0xFFFFFFFF
    return words


def uniform(first, second):
    """[0, 1) in 53 bits."""
    return ((first >> 5) * 2**26 + (second >> 6)) / 2**53


def normal(first, second):
    """From numbers of 24 bits: the first in (0, 1], the second in [0, 1)."""
    radius = np.sqrt(-2 * np.log(((first >> 8) + 1) / 2**24))
    return radius * np.cos(2 * np.pi * (second >> 8) / 2**24)


def actions(logits, mean, sigma, mine, key):
    """target (B, P), x (B, P) and log_prob (B) of the draws that key (seed, agent, step) names. A draw that float32's rounding
    of the logits could decide otherwise makes its row not owned: `mine` is changed in place."""
    target = torch.full(mine.shape, P, dtype=torch.int32)
    x = torch.zeros(mine.shape)
    log_prob = torch.zeros(len(mine), dtype=torch.float64)
    probability = logits.double().softmax(-1).numpy()
    for state, slot in mine.nonzero().tolist():
        words = philox(key["seed"], (slot, int(key["step"]), int(key["agent"][state]), POLICY_STREAM))
        u, passed = uniform(words[0], words[1]), probability[state, slot].cumsum()
        if np.abs(passed - u).min() < 1e-5:
            mine[state, slot] = False
            continue
        chosen, z = int((passed <= u).sum()), normal(words[2], words[3])
        target[state, slot] = chosen
        x[state, slot] = mean[state, slot] + sigma * z
        log_prob[state] += np.log(probability[state, slot, chosen]) - z * z / 2 - np.log(sigma) - np.log(2 * np.pi) / 2
    return {"target": target, "x": x, "log_prob": log_prob}


def greedy(logits, mine):
    """argmax over all; argmax over planets, no-op only where it leads by 999 or more."""
    fire = logits[..., :P].argmax(-1)
    leads = logits[..., P] - logits[..., :P].amax(-1) >= 999
    return {"greedy_argmax": torch.where(mine, logits.argmax(-1), P), "greedy_fire": torch.where(mine & ~leads, fire, P)}

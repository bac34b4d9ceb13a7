"""The PyTorch ActorCritic that orbit_v1 must equal, with the distribution and loss of its training. Written for reading,
from the specification: every row is computed, nothing is packed. Shapes: B states, P planet slots, H hidden, F and G features."""
import math

import torch
from torch import nn

P, F, G = 36, 41, 20
MASKED = -1e9


def xavier(*shape):
    return nn.Parameter(nn.init.xavier_uniform_(torch.empty(*shape)))


class AttentionBlock(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.mha = nn.MultiheadAttention(hidden, heads, batch_first=True)
        self.ln1, self.ln2 = nn.LayerNorm(hidden), nn.LayerNorm(hidden)
        self.ff = nn.Sequential(nn.Linear(hidden, 2 * hidden), nn.ReLU(), nn.Linear(2 * hidden, hidden))

    def forward(self, x, y, key_padding=None):
        attended, _ = self.mha(x, y, y, key_padding_mask=key_padding, need_weights=False)
        h = self.ln1(x + attended)
        return self.ln2(h + self.ff(h))


class InducedAttention(nn.Module):
    def __init__(self, hidden, heads, points):
        super().__init__()
        self.inducing = xavier(1, points, hidden)
        self.mab1, self.mab2 = AttentionBlock(hidden, heads), AttentionBlock(hidden, heads)

    def forward(self, x, valid):
        i = self.mab1(self.inducing.expand(len(x), -1, -1), x, ~valid)
        return self.mab2(x, i) * valid[..., None]


class Pool(nn.Module):
    def __init__(self, hidden, heads):
        super().__init__()
        self.seeds = xavier(1, 1, hidden)
        self.mab = AttentionBlock(hidden, heads)

    def forward(self, h, valid):
        return self.mab(self.seeds.expand(len(h), -1, -1), h, ~valid)[:, 0]


class Backbone(nn.Module):
    def __init__(self, hidden, heads, points, layers):
        super().__init__()
        self.in_proj = nn.Linear(F, hidden)
        self.encoder = nn.ModuleList([InducedAttention(hidden, heads, points) for _ in range(layers)])
        self.pool = Pool(hidden, heads)
        self.psi = nn.Sequential(nn.Linear(hidden + G, hidden), nn.ReLU(), nn.Linear(hidden, hidden))

    def forward(self, planets, globals_, valid):
        h = self.in_proj(planets) * valid[..., None]
        for layer in self.encoder:
            h = layer(h, valid)
        return h, self.psi(torch.cat([self.pool(h, valid), globals_], -1))


def head(hidden, out, dropout):
    return nn.Sequential(nn.Linear(2 * hidden, hidden), nn.ReLU(), nn.Dropout(dropout), nn.Linear(hidden, out))


class PlanetHead(nn.Module):
    def __init__(self, hidden, dropout):
        super().__init__()
        self.src_proj, self.tgt_proj = head(hidden, hidden, dropout), head(hidden, hidden, dropout)
        self.pair_proj = nn.Linear(hidden, hidden, bias=False)
        self.noop_query = xavier(1, 1, hidden)
        self.ship_head = head(hidden, 1, dropout)

    def forward(self, h, ctx, valid):
        hc = torch.cat([h, ctx[:, None].expand(-1, h.shape[1], -1)], -1)
        q, k = self.src_proj(hc), self.pair_proj(self.tgt_proj(hc))
        pairs = (q @ k.transpose(1, 2)).masked_fill(~valid[:, None], MASKED)
        return torch.cat([pairs, q @ self.noop_query[0].T], -1), self.ship_head(hc)[..., 0]


class ValueHead(nn.Module):
    def __init__(self, hidden):
        super().__init__()
        self.net = nn.Sequential(nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 1))


class ShipLogStd(nn.Module):
    def __init__(self, init):
        super().__init__()
        self.log_std = nn.Parameter(torch.full((1,), float(init)))


class ActorCritic(nn.Module):
    def __init__(self, hidden=192, heads=8, points=24, layers=4, dropout=0.0, log_std=0.5, no_op_bias=8.0):
        super().__init__()
        self.backbone = Backbone(hidden, heads, points, layers)
        self.head_per_planet = PlanetHead(hidden, dropout)
        self.value_head = ValueHead(hidden)
        self.ship_log_std = ShipLogStd(log_std)
        self.no_op_bias = no_op_bias

    def forward(self, planets, globals_, valid):
        """logits (B, P, P + 1), ship_mean (B, P), value (B), log_std ()."""
        h, ctx = self.backbone(planets, globals_, valid)
        logits, ship_mean = self.head_per_planet(h, ctx, valid)
        bias = torch.zeros(P + 1).to(logits)
        bias[P] = self.no_op_bias
        return logits - bias, ship_mean, self.value_head.net(ctx)[..., 0], self.ship_log_std.log_std[0]


def sigma_of(log_std):
    return log_std.exp().clamp(min=1e-3)


def evaluate(output, mine, target, x):
    """log-probability and entropy (B) of given actions: sums over owned rows, target and ships on every one of them."""
    logits, mean, _, log_std = output
    sigma = sigma_of(log_std)
    targets, ships = torch.distributions.Categorical(logits=logits), torch.distributions.Normal(mean, sigma)
    log_prob = targets.log_prob(target) + ships.log_prob(x)
    entropy = targets.entropy() + ships.entropy()
    return (log_prob * mine).sum(-1), (entropy * mine).sum(-1)


def kl(output, reference, mine):
    """KL(output || reference) per state (B)."""
    new, ref = output[0].log_softmax(-1), reference[0].log_softmax(-1)
    s_new, s_ref = sigma_of(output[3]), sigma_of(reference[3])
    rows = (new.exp() * (new - ref)).sum(-1)
    rows = rows + (s_ref / s_new).log() + (s_new**2 + (output[1] - reference[1]) ** 2) / (2 * s_ref**2) - 0.5
    return (rows * mine).sum(-1)


def loss_terms(output, mine, target, x, batch, reference):
    """The PPO objective. batch: old_log_prob, advantages (normalised), returns, clip_eps, value_coef, entropy_coef, kl_beta."""
    log_prob, entropy = evaluate(output, mine, target, x)
    ratio = (log_prob - batch["old_log_prob"]).exp()
    a, eps = batch["advantages"], batch["clip_eps"]
    terms = {
        "policy": -torch.minimum(ratio * a, ratio.clamp(1 - eps, 1 + eps) * a).mean(),
        "value": (output[2] - batch["returns"]).square().mean(),
        "entropy": entropy.mean(),
        "kl": kl(output, reference, mine).mean(),
    }
    terms["loss"] = (terms["policy"] + batch["value_coef"] * terms["value"] - batch["entropy_coef"] * terms["entropy"]
                     + batch["kl_beta"] * terms["kl"])
    terms["approx_kl"] = (batch["old_log_prob"] - log_prob).mean()
    terms["clip_fraction"] = ((ratio - 1).abs() > eps).to(ratio.dtype).mean()
    return terms

"""The fused operators of small networks beside PyTorch: a module of the same names, torch.distributions, the objective as the paper has it."""
import math

import pytest
import torch
from torch import nn

from orbit_ops import fresh_random, ops

OBSERVATION, ROWS = 5, 300


class Mlp(nn.Module):
    """The module whose state_dict a file of weights is (src/policy/README.md)."""

    def __init__(self, shared, outputs, numbers):
        super().__init__()
        if numbers:
            self.log_std = nn.Parameter(torch.full((numbers,), -0.3))

        def trunk():
            return [nn.Linear(OBSERVATION, 24), nn.Tanh(), nn.Linear(24, 17), nn.Tanh()]

        if shared:
            self.trunk, self.actor, self.critic = nn.Sequential(*trunk()), nn.Linear(17, outputs), nn.Linear(17, 1)
        else:
            self.actor, self.critic = (nn.Sequential(*trunk(), nn.Linear(17, n)) for n in (outputs, 1))
        self.shared = shared

    def forward(self, x):
        x = self.trunk(x) if self.shared else x
        return self.actor(x), self.critic(x).squeeze(1)

    def weights(self):
        return [p for name, p in self.named_parameters() if name != "log_std"]


class Squashed:
    """tanh of Gaussians scaled to bounds, by torch.distributions; the entropy's estimate by reparameterisation."""

    def __init__(self, mean, std, low, high):
        self.base = torch.distributions.Normal(mean, std)
        self.low, self.high = torch.tensor(low), torch.tensor(high)
        self.map = [torch.distributions.TanhTransform(), torch.distributions.AffineTransform((self.low + self.high) / 2, (self.high - self.low) / 2)]

    def sample(self):
        return self.map[1](self.map[0](self.base.sample()))

    def log_prob(self, action):
        return torch.distributions.TransformedDistribution(self.base, self.map).log_prob(action)

    def entropy(self, action):
        u = self.map[0].inv(self.map[1].inv(action)).detach()
        moved = self.base.loc + self.base.scale * ((u - self.base.loc) / self.base.scale).detach()
        y = self.map[0](moved)
        return self.base.entropy() + self.map[0].log_abs_det_jacobian(moved, y) + ((self.high - self.low) / 2).log()


HEADS = {"categorical": ([4], [], []), "multi": ([3, 1, 5], [], []), "gaussian": ([], [], []), "squashed": ([], [-2.0, -1.0], [1.0, 3.0])}


def scores(head, module, outputs, action):
    """log-probability and entropy of each row."""
    choices, low, high = HEADS[head]
    if choices:
        parts = [torch.distributions.Categorical(logits=o) for o in outputs.split(choices, 1)]
        return sum(p.log_prob(action[:, a]) for a, p in enumerate(parts)), sum(p.entropy() for p in parts)
    std = module.log_std.exp().expand_as(outputs)
    if low:
        d = Squashed(outputs, std, low, high)
        return d.log_prob(action).sum(1), d.entropy(action).sum(1)
    d = torch.distributions.Normal(outputs, std)
    return d.log_prob(action).sum(1), d.entropy().sum(1)


def draw(head, module, outputs):
    choices, low, high = HEADS[head]
    if choices:
        return torch.stack([torch.distributions.Categorical(logits=o).sample() for o in outputs.split(choices, 1)], 1)
    std = module.log_std.exp().expand_as(outputs)
    return Squashed(outputs, std, low, high).sample() if low else torch.distributions.Normal(outputs, std).sample()


@pytest.mark.parametrize("shared", [True, False])
@pytest.mark.parametrize("head", HEADS)
def test_gradient_of_the_objective(head, shared):
    torch.manual_seed(fresh_random().getrandbits(40))
    choices, low, high = HEADS[head]
    numbers = 0 if choices else 2
    module = Mlp(shared, sum(choices) or numbers, numbers)
    x = torch.randn(ROWS, OBSERVATION)
    with torch.no_grad():
        outputs, value = module(x)
        action = draw(head, module, outputs)
        log_prob = scores(head, module, outputs, action)[0] + 0.3 * torch.randn(ROWS)
        old_value = value + 0.5 * torch.randn(ROWS)
    advantage, ret, order = torch.randn(ROWS), torch.randn(ROWS), torch.randperm(ROWS)
    clip, entropy_coef, value_coef = 0.2, 0.05, 0.5

    size = 128
    at = order[size:2 * size]
    outputs, value = module(x[at])
    new, entropy = scores(head, module, outputs, action[at])
    a = advantage[at]
    a = (a - a.mean()) / (a.std() + 1e-8)
    ratio = (new - log_prob[at]).exp()
    policy_loss = -torch.min(ratio * a, ratio.clamp(1 - clip, 1 + clip) * a).mean()
    value_loss = (value - ret[at]).square().mean()
    total = policy_loss + value_coef * value_loss - entropy_coef * entropy.mean()
    total.backward()

    named = dict(module.named_parameters())
    gradients = [torch.zeros_like(p) for p in module.weights()] + ([torch.zeros(numbers)] if numbers else [])
    terms = torch.zeros(7)
    with torch.no_grad():
        ops.ppo_gradient_(module.weights(), shared, False, choices, named.get("log_std"), low, high, None, None, x, action, log_prob, old_value,
                          advantage, ret, order, torch.tensor(1), torch.tensor(ROWS), size, True, torch.tensor(clip), torch.tensor(entropy_coef),
                          value_coef, None, gradients, terms)
    expected = [total, policy_loss, value_loss, entropy.mean(), torch.zeros(()), -(new - log_prob[at]).mean(), ((ratio - 1).abs() > clip).float().mean()]
    torch.testing.assert_close(terms, torch.stack(expected).detach(), rtol=1e-5, atol=1e-5)
    for p, g in zip([*module.weights(), *([module.log_std] if numbers else [])], gradients, strict=True):
        torch.testing.assert_close(g, p.grad, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("head", ["categorical", "gaussian", "squashed"])
def test_a_rollout_records_what_the_module_says(head):
    """Values and log-probabilities of the recorded actions, by PyTorch; draws of all steps together as likely as they should be."""
    torch.manual_seed(fresh_random().getrandbits(40))
    env, width, outputs = ("cartpole", 4, 2) if head == "categorical" else ("pendulum", 3, 1)
    global OBSERVATION
    saved, OBSERVATION = OBSERVATION, width
    try:
        module = Mlp(True, outputs, 0 if head == "categorical" else 1)
    finally:
        OBSERVATION = saved
    choices = [2] if head == "categorical" else []
    low, high = ([-2.0], [2.0]) if head == "squashed" else ([], [])
    steps, n = 25, 40
    batch = ops.make_env_batch(env, n)
    ops.env_reset_(env, batch, 3)
    f = dict(dtype=torch.float32)
    observation, action = torch.zeros(steps, n, width), torch.zeros(steps, n, 1, dtype=torch.long if choices else torch.float32)
    log_prob, value, reward, final_value = (torch.zeros(steps, n, **f) for _ in range(4))
    terminated, truncated = (torch.zeros(steps, n, dtype=torch.bool) for _ in range(2))
    goes_on = torch.zeros(n, dtype=torch.bool)
    named = dict(module.named_parameters())
    with torch.no_grad():
        ops.env_rollout_(env, batch, 3, 0, 10, module.weights(), True, False, choices, named.get("log_std"), low, high, None, None, 5, torch.tensor(0),
                         True, observation, action, log_prob, value, reward, terminated, truncated, final_value, goes_on)
        said, worth = module(observation.flatten(0, 1))
        torch.testing.assert_close(value.flatten(), worth, rtol=1e-5, atol=1e-5)
        a = action.flatten(0, 1)
        if choices:
            expected = torch.distributions.Categorical(logits=said).log_prob(a[:, 0])
            p = said.softmax(1)[:, 1]
            assert abs(a.float().mean() - p.mean()) < 6 * math.sqrt(0.25 / len(a))
        else:
            d = torch.distributions.Normal(said, module.log_std.exp())
            d = Squashed(said, module.log_std.exp(), low, high) if low else d
            expected = d.log_prob(a).squeeze(1)
        torch.testing.assert_close(log_prob.flatten(), expected, rtol=1e-4, atol=1e-4)
    cut = truncated & ~terminated
    assert cut.any() and (final_value[~cut] == 0).all() and (final_value[cut] != 0).all()

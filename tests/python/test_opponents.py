"""Scripted opponents beside the official package's agents: whole games on fresh seeds, both engines fed the same orders."""
import math

import pytest
import torch

import orbit_ops
from orbit_ops import ops

NOOP, RANDOM, STARTER = 0, 1, 2
ORDERS = 48  # one a planet


class Games:
    """A batch of our games, one board each, stepped with lists of [planet id, angle, ships] a seat."""

    def __init__(self, seeds, seats):
        self.n, self.seats = len(seeds), seats
        self.bank = ops.make_boards([str(s) for s in seeds])
        self.state = ops.make_state(self.n)
        ops.reset_(self.state, self.bank, torch.ones(self.n, dtype=torch.bool), torch.arange(self.n, dtype=torch.int32), seats)

    def orders_of(self, opponent, seed=0, turn=0):
        """[game][seat] -> list of orders."""
        seats = torch.arange(self.seats, dtype=torch.int32).repeat(self.n, 1)
        count, *rest = moves = orbit_ops.make_moves(self.n, self.seats, ORDERS)
        ops.scripted_moves_(self.state, self.bank, seats, opponent, seed, torch.tensor(turn), *moves)
        planet, ships, angle = (t.tolist() for t in rest)
        return [[[[planet[g][s][k], angle[g][s][k], ships[g][s][k]] for k in range(count[g, s])] for s in range(self.seats)]
                for g in range(self.n)]

    def step(self, orders):
        count, planet, ships, angle = moves = orbit_ops.make_moves(self.n, self.seats, ORDERS)
        for g, s in ((g, s) for g in range(self.n) for s in range(self.seats)):
            count[g, s] = len(orders[g][s])
            for k, (source, direction, sent) in enumerate(orders[g][s]):
                planet[g, s, k], angle[g, s, k], ships[g, s, k] = source, direction, sent
        ops.step_(self.state, self.bank, *moves, self.seats, 500, 6.0, 0)


@pytest.mark.parametrize("seats", [2, 4])
def test_starter_plays_the_official_agents_moves(seats):
    oracle = orbit_ops.official_oracle()
    rng = orbit_ops.fresh_random()
    starter = oracle.official().starter_agent
    seeds = [rng.randrange(2**31) for _ in range(4)]
    ours, theirs = Games(seeds, seats), [oracle.Game(seats, s) for s in seeds]
    given = 0
    for turn in range(140):  # two waves of comets
        orders = ours.orders_of(STARTER)
        play = [[[] for _ in range(seats)] for _ in seeds]
        for g, game in enumerate(theirs):
            if game.done:
                continue
            for seat in range(seats):
                expected = starter({"player": seat, "planets": game.obs.planets})
                assert orders[g][seat] == expected, f"seed {seeds[g]} turn {turn} seat {seat}"
                given += len(expected)
                # Some seats play otherwise now and then, so that games differ from starter's own.
                play[g][seat] = expected if rng.random() < 0.8 else oracle.p_light(game.obs, seat, rng, turn)
            game.step(play[g])
        ours.step(play)
    assert given > 100


def test_random_sends_what_the_official_agent_sends():
    oracle = orbit_ops.official_oracle()
    rng = orbit_ops.fresh_random()
    agent = oracle.official().random_agent
    seeds = [rng.randrange(2**31) for _ in range(4)]
    ours, theirs = Games(seeds, 4), [oracle.Game(4, s) for s in seeds]
    angles = []
    for turn in range(120):
        orders = ours.orders_of(RANDOM, seed=rng.randrange(2**40), turn=turn)
        for g, game in enumerate(theirs):
            if game.done:
                orders[g] = [[] for _ in range(4)]
                continue
            for seat in range(4):  # the angles are drawn otherwise, sources and ships are not
                expected = agent({"player": seat, "planets": game.obs.planets})
                assert [(o[0], o[2]) for o in orders[g][seat]] == [(o[0], o[2]) for o in expected], (seeds[g], turn, seat)
                angles += [o[1] for o in orders[g][seat]]
            game.step(orders[g])
        ours.step(orders)
    assert len(angles) > 100 and all(0 <= a < 2 * math.pi for a in angles)
    assert abs(sum(math.cos(a) for a in angles)) < 5 * math.sqrt(len(angles) / 2)
    assert abs(sum(math.sin(a) for a in angles)) < 5 * math.sqrt(len(angles) / 2)


def test_noop_gives_no_orders():
    games = Games([orbit_ops.fresh_random().randrange(2**31)], 2)
    assert games.orders_of(NOOP) == [[[], []]]

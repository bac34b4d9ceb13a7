"""Orbit Wars as a gymnasium vector environment whose observations, actions and rewards are torch tensors, never copied."""

import gymnasium
import numpy as np
import torch
from gymnasium import spaces
from gymnasium.vector.utils import batch_space

from orbit_train.operators import ops

PLANETS, PLANET_FEATURES, GLOBAL_FEATURES = 36, 41, 20
MAX_PLANETS, MAX_ORDERS, STANDING_COLUMNS = 48, 48, 6
SCALAR_TERMINATED = 4  # column of the state's scalars
OPPONENTS = ("noop", "random", "starter")
MOTIONS = ("exact", "fast", "float")
DECODERS = ("plain", "strict")
HISTORIES = ("full", "snapshots", "none")
SHAPINGS = ("ships", "planets", "combined", "ratio", "ratio_prod")
EPISODE_TOTALS = ("episodes", "terminated", "length", "return", "return_squared", "won", "drawn")


def _choice(name, value, choices):
    if value not in choices:
        raise ValueError(f"{name}: expected one of {', '.join(choices)}; found {value!r}")
    return choices.index(value)


class OrbitWarsVectorEnv(gymnasium.vector.VectorEnv):
    """N games of Orbit Wars, stepped together by the operators.

    A row is one agent. With opponent "noop", "random" or "starter" a row is one game: the agent has seat 0, the opponent the
    others. With opponent "self" every seat is an agent: num_envs rows are num_envs / players games, rows of a game side by side.

    Observation (dict of tensors; num_envs rows): planets (36, 41) float32, globals (20) float32, valid (36) bool: a planet is
    there, mine (36) bool: it is the agent's own. Action: target (36) int32, the slot that each own planet sends ships to, or
    `no_op`; x (36) float32, log1p of the ships. Rows of other planets are not read. Reward: +1, 0, -1 at the end of a game, and the
    change of (own - enemy planets), or what `shaping` names, times shaping_coef each turn.

    A game that ends (terminated), or reaches time_limit steps (truncated), makes room for the next in the same step
    (AutoresetMode.SAME_STEP): the observation returned is the new game's first; infos["final_obs"] holds the true last ones, valid
    in the rows that infos["_final_obs"] marks, and infos["episode"] their returns "r" and lengths "l".
    """

    metadata = {"render_modes": [], "autoreset_mode": gymnasium.vector.AutoresetMode.SAME_STEP}
    no_op = PLANETS

    def __init__(self, num_envs, *, opponent="starter", players=2, device="cpu", boards=256, board_seed=0, time_limit=0,
                 episode_steps=500, decoder="strict", history="full", motion="fast", shaping="planets", shaping_coef=0.0,
                 max_fleets=512):
        if players not in (2, 4):
            raise ValueError(f"players: expected 2 or 4, found {players}")
        self.agents = players if opponent == "self" else 1  # rows a game
        if opponent != "self":
            self._opponent = _choice("opponent", opponent, OPPONENTS)
        if num_envs < 1 or num_envs % self.agents:
            raise ValueError(f"num_envs: expected a positive multiple of {self.agents} rows a game, found {num_envs}")
        self.num_envs, self.games, self.players = num_envs, num_envs // self.agents, players
        self.device = torch.device(device)
        self.time_limit, self.episode_steps, self.max_fleets = time_limit, episode_steps, max_fleets
        self._strict = bool(_choice("decoder", decoder, DECODERS))
        self._history = _choice("history", history, HISTORIES)
        self._motion = _choice("motion", motion, MOTIONS)
        mode = _choice("shaping", shaping, SHAPINGS)
        ships, planets = shaping != "planets", shaping != "ships"
        self._shaping = (mode, [shaping_coef * ships, shaping_coef * planets, 0.0, 0.0, 0.0, 0.0, 0.0], episode_steps)

        self.single_observation_space = spaces.Dict({
            "planets": spaces.Box(-np.inf, np.inf, (PLANETS, PLANET_FEATURES), np.float32),
            "globals": spaces.Box(-np.inf, np.inf, (GLOBAL_FEATURES,), np.float32),
            "valid": spaces.MultiBinary(PLANETS),
            "mine": spaces.MultiBinary(PLANETS),
        })
        self.single_action_space = spaces.Dict({
            "target": spaces.Box(0, PLANETS, (PLANETS,), np.int32),
            "x": spaces.Box(0.0, 10.0, (PLANETS,), np.float32),
        })
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

        self.bank = [t.to(self.device) for t in ops.make_boards([str(board_seed + i) for i in range(boards)])]
        self.state = ops.make_state(self.games, max_fleets, device=self.device)
        self._seed = 0
        self._make_buffers()

    def _zeros(self, *shape, dtype=torch.int32):
        return torch.zeros(shape, dtype=dtype, device=self.device)

    def _make_buffers(self):
        n, a, s = self.games, self.agents, self.players
        seats = torch.arange(s, dtype=torch.int32, device=self.device).repeat(n, 1)
        self._seats, self._other_seats = seats[:, :a].contiguous(), seats[:, a:].contiguous()
        self._moves = [self._zeros(n, s), self._zeros(n, s, MAX_ORDERS), self._zeros(n, s, MAX_ORDERS),
                       self._zeros(n, s, MAX_ORDERS, dtype=torch.float64)]
        self._games_begun, self._board, self._turn = self._zeros(n), self._zeros(n), self._zeros(dtype=torch.int64)
        self._before = self._zeros(n, a, STANDING_COLUMNS, dtype=torch.float64)
        self._outcome = self._zeros(n, a)
        self._episode = {"length": self._zeros(n), "ret": self._zeros(n, a, dtype=torch.float32)}
        self._totals = self._zeros(n, a, len(EPISODE_TOTALS), dtype=torch.float64)

    def _observe(self, seats, out=None):
        n, a = self.games, self.agents
        if out is None:
            out = {"planets": self._zeros(n, a, PLANETS, PLANET_FEATURES, dtype=torch.float32),
                   "globals": self._zeros(n, a, GLOBAL_FEATURES, dtype=torch.float32),
                   "valid": self._zeros(n, a, PLANETS, dtype=torch.bool), "mine": self._zeros(n, a, PLANETS, dtype=torch.bool)}
        ops.observe_(self.state, self.bank, seats, self._history, False, *out.values())
        return out

    def _rows(self, by_game):
        """A dict of (games, agents, ...) as (num_envs, ...), sharing memory."""
        return {name: t.flatten(0, 1) for name, t in by_game.items()}

    def _begin(self, where):
        ops.draw_boards_(where, self._seed, self.bank[0].shape[0], self._games_begun, self._board)
        ops.reset_(self.state, self.bank, where, self._board, self.players)

    def reset(self, *, seed=None, options=None):
        """Every game begins anew. seed: of the boards drawn and of a random opponent; equal seeds give equal games."""
        super().reset(seed=seed)
        if options:
            raise ValueError(f"reset takes no options, found {', '.join(options)}")
        if seed is not None:
            self._seed = seed
            for counter in (self._games_begun, self._turn):
                counter.zero_()
        for t in (*self._episode.values(), self._totals):
            t.zero_()
        self._begin(torch.ones(self.games, dtype=torch.bool, device=self.device))
        return self._rows(self._observe(self._seats)), {}

    def _action(self, actions, name, dtype):
        shape = (self.games, self.agents, PLANETS)
        value = torch.as_tensor(actions[name], device=self.device)
        if value.numel() != self.num_envs * PLANETS:
            raise ValueError(f"actions[{name!r}]: expected shape {(self.num_envs, PLANETS)}, found {tuple(value.shape)}")
        return value.to(dtype).reshape(shape).contiguous()

    def step(self, actions):
        n, a = self.games, self.agents
        decode = (self._strict, False, False)
        ops.decode_(self.state, self.bank, self._seats, self._action(actions, "target", torch.int32),
                    self._action(actions, "x", torch.float32), *decode, *self._moves)
        if self.agents < self.players:
            ops.scripted_moves_(self.state, self.bank, self._other_seats, self._opponent, self._seed, self._turn, *self._moves)
        active = torch.ones(n, dtype=torch.bool, device=self.device)
        ops.standing_(self.state, self.bank, self._seats, self._before)
        ops.step_(self.state, self.bank, *self._moves, self.players, self.episode_steps, 6.0, self._motion)
        self._turn += 1

        reward = self._zeros(n, a, dtype=torch.float32)
        terminated, truncated = self._zeros(n, a, dtype=torch.bool), self._zeros(n, a, dtype=torch.bool)
        ops.reward_(self.state, self.bank, self._seats, self.players, self._before, active, *self._shaping, reward, terminated,
                    self._outcome)
        finished, length = self._zeros(n, dtype=torch.bool), self._zeros(n)
        returns = self._zeros(n, a, dtype=torch.float32)
        ops.track_episodes_(reward, terminated, active, self._outcome, self.time_limit, self._episode["length"],
                            self._episode["ret"], truncated, finished, length, returns, self._totals)

        observation, infos = self._observe(self._seats), {}
        if finished.any():
            marked = finished.repeat_interleave(a)
            infos = {"final_obs": self._rows(observation), "_final_obs": marked, "_episode": marked,
                     "episode": {"r": returns.flatten(), "l": length.repeat_interleave(a)}}
            self._begin(finished)
            begun = torch.where(finished.unsqueeze(1), self._seats, -1)  # the others' rows stay as they are
            observation = self._observe(begun, {name: t.clone() for name, t in observation.items()})
        return self._rows(observation), reward.flatten(), terminated.flatten(), truncated.flatten(), infos

    def statistics(self):
        """Of the episodes that ended since the last reset(): a dict of their number, means, and rates of won and drawn games."""
        sums = dict(zip(EPISODE_TOTALS, self._totals.sum((0, 1)).tolist(), strict=True))
        episodes, games = max(sums["episodes"], 1), max(sums["terminated"], 1)
        mean = sums["return"] / episodes
        return {"episodes": int(sums["episodes"]), "mean_return": mean, "mean_length": sums["length"] / episodes,
                "return_std": max(sums["return_squared"] / episodes - mean**2, 0.0) ** 0.5,
                "win_rate": sums["won"] / games, "draw_rate": sums["drawn"] / games}

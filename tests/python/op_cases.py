"""Real arguments for every operator of the library that takes tensors: for torch.library.opcheck, and for tests of every operator."""
import torch
from orbit_ops import make_moves, ops

N, SEATS, AGENTS, STEPS = 3, 2, 2, 5
WITHOUT_TENSORS = {  # names, texts and makers: nothing goes in that a Meta implementation could look at
    "state_names", "bank_names", "make_state", "make_boards", "env_names", "load_env_library", "env_description", "env_batch_names",
    "make_env_batch"}
ON_THE_HOST = {"env_faults"}  # reads its tensor's values into text


def names():
    """Every operator of the library, from the registry."""
    return sorted(n.split("::")[1].split(".")[0] for n in torch._C._dispatch_get_all_op_names() if n.startswith("orbit::"))


def game():
    """State, bank, seats asked about, orders of games some turns old."""
    bank = ops.make_boards(["3", "4"])
    state = ops.make_state(N, 64)
    ops.reset_(state, bank, torch.ones(N, dtype=torch.bool), torch.tensor([0, 1, 0], dtype=torch.int32), SEATS)
    seats = torch.arange(SEATS, dtype=torch.int32).expand(N, SEATS).contiguous()
    moves = make_moves(N, SEATS, 48)
    for turn in range(60):
        ops.scripted_moves_(state, bank, seats, 1, 5, torch.tensor(turn), *moves)
        ops.step_(state, bank, *moves, SEATS, 500, 6.0, turn % 3)
    return state, bank, seats, moves


def zeros(dtype, *shape):
    return torch.zeros(shape, dtype=dtype)


def small_network(inputs, outputs):
    """Weights of a shared network with one hidden layer, and the rest of what describes a Gaussian policy over its outputs."""
    shapes = [(9, inputs), (9,), (outputs, 9), (outputs,), (1, 9), (1,)]
    statistics = torch.zeros(inputs, dtype=torch.float64), torch.ones(inputs, dtype=torch.float64)
    return [torch.randn(s) * 0.3 for s in shapes], True, False, [], torch.zeros(outputs), [], [], *statistics


def learning():
    """Arguments of the operators that act and learn."""
    f, rows, swing = torch.float32, 300, ops.make_env_batch("pendulum", N)
    ops.env_reset_("pendulum", swing, 1)
    network = small_network(5, 2)
    gradients = [torch.zeros_like(w) for w in [*network[0], network[4]]]
    weights, moments = [torch.randn(4, 3), torch.randn(5)], [[torch.rand(4, 3), torch.rand(5)] for _ in range(3)]
    number = lambda v: torch.tensor(float(v))  # noqa: E731
    rollout = [zeros(f, STEPS, N, 3), zeros(f, STEPS, N, 1), *(zeros(f, STEPS, N) for _ in range(3)), zeros(torch.bool, STEPS, N),
               zeros(torch.bool, STEPS, N), zeros(f, STEPS, N), zeros(torch.bool, N)]
    return {
        "ppo_gradient_": (*network, torch.randn(rows, 5), torch.randn(rows, 2), *(torch.randn(rows) for _ in range(4)), torch.randperm(rows),
                          torch.tensor(0), torch.tensor(rows), rows, True, torch.tensor(0.2), torch.tensor(0.01), 0.5, None, gradients, zeros(f, 7)),
        "schedule_": (number(3), 0.2, 0.1, 10, True, number(0.5), number(0)),
        "clip_gradients_": ([torch.randn(4, 3), torch.randn(5)], 0.5, number(0)),
        "adamw_": (weights, *moments, [number(3), number(3)], number(0.01), number(0), 0.9, 0.999, 1e-4, 1e-8),
        "judge_minibatch_": (torch.rand(7), number(1), number(0), 1e6, number(0)),
        "record_minibatch_": (torch.rand(7), number(1), number(0), 0.1, torch.zeros(8, dtype=torch.float64), number(0), zeros(f, 2), torch.tensor(2)),
        "env_rollout_": ("pendulum", swing, 1, 0, -1, *small_network(3, 1), 2, torch.tensor(0), True, *rollout),
    }


def cases():
    """Arguments by operator: new tensors each time."""
    state, bank, seats, moves = game()
    f, d, i, b = torch.float32, torch.float64, torch.int32, torch.bool
    standing = zeros(d, N, SEATS, 6)
    env = "cartpole"
    small = ops.make_env_batch(env, N)
    ops.env_reset_(env, small, 1)
    action = zeros(torch.long, N, 1)
    return {
        "draw_boards_": (torch.tensor([True, False, True]), 7, 2, zeros(i, N), zeros(i, N)),
        "reset_": (state, bank, torch.tensor([True, False, True]), zeros(i, N), SEATS),
        "step_": (state, bank, *moves, SEATS, 500, 6.0, 1),
        "observe_": (state, bank, seats, 0, False, zeros(f, N, SEATS, 36, 41), zeros(f, N, SEATS, 20), zeros(b, N, SEATS, 36),
                     zeros(b, N, SEATS, 36)),
        "aim_": (state, bank, torch.full((N, 4, 5), 9, dtype=i), zeros(b, N, 4, 5), zeros(i, N, 4, 5), zeros(d, N, 4, 5),
                 zeros(d, N, 4, 5), zeros(d, N, 4, 5)),
        "decode_": (state, bank, seats, torch.randint(0, 37, (N, SEATS, 36), dtype=i), torch.rand(N, SEATS, 36) * 4, True, False, False, *moves),
        "scripted_moves_": (state, bank, seats, 2, 5, torch.tensor(3), *moves),
        "standing_": (state, bank, seats, standing),
        "reward_": (state, bank, seats, SEATS, standing, torch.ones(N, dtype=b), 1, [0.1, 0.1, 0.0, 0.0, 0.0, 0.0, 0.0], 500,
                    zeros(f, N, SEATS), zeros(b, N, SEATS), zeros(i, N, SEATS)),
        "track_episodes_": (torch.rand(N, AGENTS), zeros(b, N, AGENTS), torch.ones(N, dtype=b), zeros(i, N, AGENTS), 9, zeros(i, N),
                            zeros(f, N, AGENTS), zeros(b, N, AGENTS), zeros(b, N), zeros(i, N), zeros(f, N, AGENTS), zeros(d, N, AGENTS, 7)),
        "action_draws_": (7, 2, torch.arange(N), torch.tensor(3), zeros(d, N, 5), zeros(d, N, 5)),
        "gae_": (*(torch.rand(STEPS, N) for _ in range(3)), zeros(b, STEPS, N), zeros(b, STEPS, N), 0.99, 0.95, zeros(f, STEPS, N),
                 zeros(f, STEPS, N)),
        "env_reset_": (env, small, 1),
        "env_step_": (env, small, action, 1),
        "env_observe_": (env, small),
        **learning(),
    }

"""Generalised advantage estimation written from its definition (Schulman et al. 2016, equations 11 to 16), in float64:

    A_t = sum over l >= 0 of (gamma lambda)^l delta_{t+l},   delta_t = r_t + gamma V(s_{t+1}) - V(s_t)

where the sum ends with the episode, V after its last step is 0 if it terminated and the value of the true last observation if it
was cut there, and termination wins where both flags are set."""
import torch


def advantage_at(t, rewards, values, final_values, terminated, truncated, gamma, lam):
    total, weight = 0.0, 1.0
    for step in range(t, len(rewards)):
        ends = terminated[step] or truncated[step] or step + 1 == len(rewards)
        if not ends:
            following = values[step + 1]
        else:
            following = final_values[step] if truncated[step] and not terminated[step] else 0.0
        total += weight * (rewards[step] + gamma * following - values[step])
        if ends:
            break
        weight *= gamma * lam
    return total


def advantages(case):
    """(T, R) advantages and returns of a case's (T, R) tensors."""
    columns = []
    for row in range(case["rewards"].shape[1]):
        names = ("rewards", "values", "final_values", "terminated", "truncated")
        series = [case[name][:, row].tolist() for name in names]
        columns.append([advantage_at(t, *series, case["gamma"], case["lambda"]) for t in range(len(series[0]))])
    found = torch.tensor(columns, dtype=torch.float64).T
    return found, found + case["values"]


def case(generator, steps=70, rows=7):
    """Episodes that terminate, that are cut, that do both at once; slots that idle after an early end; one step long."""
    def chance(p):
        return torch.rand(steps, rows, generator=generator) < p

    def normal():
        return torch.randn(steps, rows, generator=generator).double()

    terminated, truncated = chance(0.06), chance(0.06)
    terminated[5, 0], truncated[5, 0] = True, True
    terminated[5:9, 1], truncated[5:9, 1] = True, False  # episodes of one step
    terminated[-1] &= chance(0.5)[-1]
    truncated[-1] |= ~terminated[-1]  # a rollout's end cuts what runs
    active = torch.ones(steps, rows, dtype=torch.bool)
    terminated[30, 2] = True
    active[31:, 2] = False  # this slot idles after its game
    numbers = torch.rand(2, generator=generator).tolist()
    made = {"rewards": normal(), "values": normal(), "final_values": normal(), "terminated": terminated, "truncated": truncated,
            "active": active, "gamma": 0.9 + 0.1 * numbers[0], "lambda": 0.9 + 0.1 * numbers[1]}
    # The rollout holds float32: the reference starts from the same numbers.
    for name in ("rewards", "values", "final_values"):
        made[name] = made[name].float().double()
    made["gamma"], made["lambda"] = (float(torch.tensor(made[name])) for name in ("gamma", "lambda"))
    made["advantages"], made["returns"] = advantages(made)
    counted = made["advantages"][active]
    made["normalised"] = (made["advantages"] - counted.mean()) / (counted.std() + 1e-8)
    return made

"""CartPole-v1 as functions of JAX: a state is (x, x_dot, theta, theta_dot, steps), which a loop steps under vmap and jit."""
import jax
import jax.numpy as jnp

GRAVITY, CART, POLE, HALF_LENGTH, FORCE, TAU = 9.8, 1.0, 0.1, 0.5, 10.0, 0.02
MOST_X, MOST_THETA, TIME_LIMIT = 2.4, 12 * 2 * jnp.pi / 360, 500


def reset(key):
    return jnp.append(jax.random.uniform(key, (4,), minval=-0.05, maxval=0.05), 0.0)


def observe(state):
    return state[:4]


def step(state, action):
    """The next state, and whether the episode ends with it; every step is worth 1."""
    x, x_dot, theta, theta_dot, steps = state
    force = jnp.where(action == 1, FORCE, -FORCE)
    sine, cosine, mass = jnp.sin(theta), jnp.cos(theta), CART + POLE
    push = (force + POLE * HALF_LENGTH * theta_dot**2 * sine) / mass
    theta_acc = (GRAVITY * sine - cosine * push) / (HALF_LENGTH * (4.0 / 3.0 - POLE * cosine**2 / mass))
    x_acc = push - POLE * HALF_LENGTH * theta_acc * cosine / mass
    x, x_dot = x + TAU * x_dot, x_dot + TAU * x_acc
    theta, theta_dot, steps = theta + TAU * theta_dot, theta_dot + TAU * theta_acc, steps + 1
    done = (jnp.abs(x) > MOST_X) | (jnp.abs(theta) > MOST_THETA) | (steps >= TIME_LIMIT)
    return jnp.stack([x, x_dot, theta, theta_dot, steps]), done


def step_or_reset(key, state, action):
    following, done = step(state, action)
    return jnp.where(done, reset(key), following), done

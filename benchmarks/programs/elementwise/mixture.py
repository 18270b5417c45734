# Expectation and maximisation for a Gaussian mixture, with log-sum-exp.
# %% small
n, parts, rounds = 800, 4, 5
# %% large
n, parts, rounds = 30_000, 6, 10
# %% setup
import numpy as np

rng = np.random.default_rng(57)
x = np.concatenate([rng.normal(centre, 0.7, n // 4) for centre in (-4.0, 0.0, 2.5, 6.0)])
# %% functions
def log_sum_exp(a, axis):
    top = np.max(a, axis=axis, keepdims=True)
    return np.squeeze(top, axis=axis) + np.log(np.sum(np.exp(a - top), axis=axis))


def expectation(x, weight, mean, variance):
    log_p = (
        np.log(weight)
        - 0.5 * np.log(2 * np.pi * variance)
        - 0.5 * (x[:, None] - mean) ** 2 / variance
    )
    total = log_sum_exp(log_p, axis=1)
    return np.exp(log_p - total[:, None]), np.sum(total)


def maximisation(x, share):
    amount = share.sum(axis=0)
    mean = (share * x[:, None]).sum(axis=0) / amount
    variance = (share * (x[:, None] - mean) ** 2).sum(axis=0) / amount
    return amount / len(x), mean, variance


def fit(x, parts, rounds):
    weight = np.ones(parts) / parts
    mean = np.linspace(x.min(), x.max(), parts)
    variance = np.ones(parts) * x.var()
    history = []
    for _ in range(rounds):
        share, likelihood = expectation(x, weight, mean, variance)
        weight, mean, variance = maximisation(x, share)
        history.append(likelihood)
    return weight, mean, variance, history
# %% cell
weight, mean, variance, history = fit(x, parts, rounds)
result = weight, mean, variance, np.array(history)
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


def log_sum_exp(a, axis):
    top = jnp.max(a, axis=axis, keepdims=True)
    return jnp.squeeze(top, axis=axis) + jnp.log(jnp.sum(jnp.exp(a - top), axis=axis))


def expectation(x, weight, mean, variance):
    log_p = (
        jnp.log(weight)
        - 0.5 * jnp.log(2 * jnp.pi * variance)
        - 0.5 * (x[:, None] - mean) ** 2 / variance
    )
    total = log_sum_exp(log_p, axis=1)
    return jnp.exp(log_p - total[:, None]), jnp.sum(total)


def maximisation(x, share):
    amount = share.sum(axis=0)
    mean = (share * x[:, None]).sum(axis=0) / amount
    variance = (share * (x[:, None] - mean) ** 2).sum(axis=0) / amount
    return amount / len(x), mean, variance


@partial(jax.jit, static_argnums=(1, 2))
def fit(x, parts, rounds):
    def step(state, _):
        share, likelihood = expectation(x, *state)
        return maximisation(x, share), likelihood

    start = (
        jnp.ones(parts) / parts,
        jnp.linspace(x.min(), x.max(), parts),
        jnp.ones(parts) * x.var(),
    )
    (weight, mean, variance), history = jax.lax.scan(step, start, None, length=rounds)
    return weight, mean, variance, history
# %% jax cell
result = fit(x, parts, rounds)

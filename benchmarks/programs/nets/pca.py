# The main axes of a cloud of points by power iteration and deflation.
# %% small
n, features, axes = 300, 20, 3
# %% large
n, features, axes = 10_000, 300, 6
# %% setup
import numpy as np

rng = np.random.default_rng(75)
spread = 4.0 * 0.6 ** np.arange(features) + 0.05
X = rng.normal(size=(n, features)) * spread
# %% functions
def power_iteration(A, steps, tolerance=1e-10):
    v = np.ones(A.shape[0]) / np.sqrt(A.shape[0])
    value = 0.0
    for _ in range(steps):
        w = A @ v
        v_new = w / np.linalg.norm(w)
        value = v_new @ A @ v_new
        if np.linalg.norm(v_new - v) < tolerance:
            v = v_new
            break
        v = v_new
    return value, v


def pca(X, axes, steps=100):
    centred = X - X.mean(axis=0)
    C = centred.T @ centred / (len(X) - 1)
    components = np.zeros((axes, X.shape[1]))
    variances = np.zeros(axes)
    for i in range(axes):
        value, v = power_iteration(C, steps)
        components[i] = v
        variances[i] = value
        C = C - value * np.outer(v, v)
    return components, variances, centred @ components.T
# %% cell
components, variances, scores = pca(X, axes)
result = components, variances, scores
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


def power_iteration(A, steps, tolerance=1e-10):
    def goes_on(state):
        _, _, moved, step = state
        return (moved >= tolerance) & (step < steps)

    def step(state):
        v, _, _, done = state
        w = A @ v
        new = w / jnp.linalg.norm(w)
        return new, new @ A @ new, jnp.linalg.norm(new - v), done + 1

    start = jnp.ones(A.shape[0]) / jnp.sqrt(A.shape[0]), 0.0, jnp.inf, 0
    v, value, _, _ = jax.lax.while_loop(goes_on, step, start)
    return value, v


@partial(jax.jit, static_argnums=(1, 2))
def pca(X, axes, steps=100):
    centred = X - X.mean(axis=0)
    C = centred.T @ centred / (len(X) - 1)
    components, variances = [], []
    for _ in range(axes):
        value, v = power_iteration(C, steps)
        components.append(v)
        variances.append(value)
        C = C - value * jnp.outer(v, v)
    components = jnp.stack(components)
    return components, jnp.stack(variances), centred @ components.T

# Lloyd's k-means: distances by a matrix product, means by masks, until nobody moves.
# %% small
n, k = 500, 5
# %% large
n, k = 20_000, 8
# %% setup
import numpy as np

rng = np.random.default_rng(74)
middles = rng.normal(0.0, 6.0, (k, 6))
points = middles[rng.integers(0, k, n)] + rng.normal(size=(n, 6))
# %% functions
def assign(points, centres):
    squared = (
        np.sum(points**2, axis=1)[:, None] - 2 * points @ centres.T + np.sum(centres**2, axis=1)
    )
    return np.argmin(squared, axis=1)


def k_means(points, k, limit=60):
    centres = points[:k].copy()
    labels = np.full(len(points), -1)
    for iteration in range(limit):
        new = assign(points, centres)
        if np.array_equal(new, labels):
            break
        labels = new
        for j in range(k):
            members = points[labels == j]
            if len(members) > 0:
                centres[j] = members.mean(axis=0)
    inertia = np.sum((points - centres[labels]) ** 2)
    return centres, labels, inertia, iteration
# %% cell
centres, labels, inertia, iterations = k_means(points, k)
result = centres, labels, inertia, iterations
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


def assign(points, centres):
    squared = (
        jnp.sum(points**2, axis=1)[:, None] - 2 * points @ centres.T + jnp.sum(centres**2, axis=1)
    )
    return jnp.argmin(squared, axis=1)


@partial(jax.jit, static_argnums=(1, 2))
def k_means(points, k, limit=60):
    def goes_on(state):
        _, _, moved, iteration = state
        return moved & (iteration < limit - 1)

    def step(state):
        centres, labels, _, iteration = state
        new = assign(points, centres)
        member = jax.nn.one_hot(new, k, dtype=points.dtype)
        count = member.sum(axis=0)[:, None]
        means = jnp.where(count > 0, member.T @ points / jnp.maximum(count, 1), centres)
        moved = jnp.any(new != labels)
        return jnp.where(moved, means, centres), new, moved, iteration + 1

    start = points[:k], jnp.full(len(points), -1), True, -1
    centres, labels, _, iteration = jax.lax.while_loop(goes_on, step, start)
    return centres, labels, jnp.sum((points - centres[labels]) ** 2), iteration

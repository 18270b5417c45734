# PageRank of a random web by repeated products, until it no longer changes.
# %% small
pages = 150
# %% large
pages = 2_500
# %% setup
import numpy as np

rng = np.random.default_rng(81)
links = rng.random((pages, pages)) < 4.0 / pages
# %% functions
def transition_matrix(links):
    n = len(links)
    M = links.astype(np.float64)
    outgoing = M.sum(axis=1)
    for i in range(n):
        if outgoing[i] > 0:
            M[i] /= outgoing[i]
        else:
            M[i] = 1.0 / n
    return M.T


def pagerank(links, damping=0.85, tolerance=1e-12, limit=100):
    n = len(links)
    M = transition_matrix(links)
    rank = np.full(n, 1.0 / n)
    for iteration in range(limit):
        new = damping * (M @ rank) + (1 - damping) / n
        change = np.abs(new - rank).sum()
        rank = new
        if change < tolerance:
            break
    return rank, iteration
# %% cell
rank, iterations = pagerank(links)
best = np.argsort(rank)[::-1][:10]
result = rank, iterations, best
# %% jax
import jax
import jax.numpy as jnp


def transition_matrix(links):
    n = len(links)
    M = links.astype(jnp.float64)
    outgoing = M.sum(axis=1, keepdims=True)
    return jnp.where(outgoing > 0, M / jnp.maximum(outgoing, 1), 1.0 / n).T


@jax.jit
def pagerank(links, damping=0.85, tolerance=1e-12, limit=100):
    n = len(links)
    M = transition_matrix(links)

    def goes_on(state):
        _, change, iteration = state
        return (change >= tolerance) & (iteration < limit - 1)

    def step(state):
        rank, _, iteration = state
        new = damping * (M @ rank) + (1 - damping) / n
        return new, jnp.abs(new - rank).sum(), iteration + 1

    rank, _, iteration = jax.lax.while_loop(goes_on, step, (jnp.full(n, 1.0 / n), jnp.inf, -1))
    return rank, iteration
# %% jax cell
rank, iterations = pagerank(links)
best = jnp.argsort(rank)[::-1][:10]
result = rank, iterations, best

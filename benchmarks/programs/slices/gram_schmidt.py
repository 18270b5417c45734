# The modified Gram-Schmidt process, column by column.
# %% small
rows, columns = 80, 16
# %% large
rows, columns = 600, 120
# %% setup
import numpy as np

vectors = np.random.default_rng(36).normal(size=(rows, columns))
# %% functions
def gram_schmidt(A):
    m, n = A.shape
    V = A.copy()
    Q = np.zeros((m, n))
    R = np.zeros((n, n))
    for i in range(n):
        R[i, i] = np.sqrt(np.sum(V[:, i] ** 2))
        Q[:, i] = V[:, i] / R[i, i]
        for j in range(i + 1, n):
            R[i, j] = np.sum(Q[:, i] * V[:, j])
            V[:, j] -= R[i, j] * Q[:, i]
    return Q, R
# %% cell
Q, R = gram_schmidt(vectors)
result = Q, R
# %% jax
import jax
import jax.numpy as jnp


@jax.jit
def gram_schmidt(A):
    m, n = A.shape
    later = jnp.arange(n)

    def column(i, state):
        V, Q, R = state
        length = jnp.sqrt(jnp.sum(V[:, i] ** 2))
        q = V[:, i] / length
        parts = jnp.where(later > i, q @ V, 0.0)
        V = V - jnp.outer(q, parts)
        return V, Q.at[:, i].set(q), R.at[i].set(parts).at[i, i].set(length)

    _, Q, R = jax.lax.fori_loop(0, n, column, (A, jnp.zeros((m, n)), jnp.zeros((n, n))))
    return Q, R

# Cholesky's decomposition by columns, then the logarithm of the determinant.
# %% small
n = 100
# %% large
n = 800
# %% setup
import numpy as np

data = np.random.default_rng(35).normal(size=(2 * n, n))
covariance = data.T @ data / (2 * n) + 0.1 * np.eye(n)
# %% functions
def cholesky(a):
    n = a.shape[0]
    L = np.zeros((n, n))
    for j in range(n):
        L[j, j] = np.sqrt(a[j, j] - np.dot(L[j, :j], L[j, :j]))
        if j + 1 < n:
            L[j + 1 :, j] = (a[j + 1 :, j] - np.dot(L[j + 1 :, :j], L[j, :j])) / L[j, j]
    return L


def log_determinant(L):
    return 2.0 * np.sum(np.log(np.diag(L)))
# %% cell
L = cholesky(covariance)
result = L, log_determinant(L)
# %% jax
import jax
import jax.numpy as jnp


@jax.jit
def cholesky(a):
    n = a.shape[0]
    rows = jnp.arange(n)

    def column(j, L):
        rest = a[:, j] - L @ L[j]
        pivot = jnp.sqrt(rest[j])
        return L.at[:, j].set(jnp.where(rows > j, rest / pivot, jnp.where(rows == j, pivot, 0.0)))

    return jax.lax.fori_loop(0, n, column, jnp.zeros((n, n)))


@jax.jit
def log_determinant(L):
    return 2.0 * jnp.sum(jnp.log(jnp.diag(L)))

# Poisson's equation by over-relaxed sweeps over the red, then the black points.
# %% small
n, sweeps = 33, 20
# %% large
n, sweeps = 257, 150
# %% setup
import numpy as np

axis = np.linspace(0.0, 1.0, n)
source = np.sin(np.pi * axis)[:, None] * np.sin(2 * np.pi * axis)[None, :]
u = np.zeros((n, n))
# %% functions
def relax(u, f, h, omega, row, column):
    around = (
        u[row - 1 : -2 : 2, column:-1:2] + u[row + 1 :: 2, column:-1:2]
        + u[row:-1:2, column - 1 : -2 : 2] + u[row:-1:2, column + 1 :: 2]
    )
    wanted = 0.25 * (around + h * h * f[row:-1:2, column:-1:2])
    u[row:-1:2, column:-1:2] += omega * (wanted - u[row:-1:2, column:-1:2])


def residual(u, f, h):
    r = np.zeros_like(u)
    r[1:-1, 1:-1] = f[1:-1, 1:-1] - (
        4 * u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1] - u[1:-1, :-2] - u[1:-1, 2:]
    ) / (h * h)
    return np.sqrt(np.mean(r**2))


def poisson(u, f, sweeps):
    h = 1.0 / (u.shape[0] - 1)
    omega = 2.0 / (1.0 + np.sin(np.pi * h))
    for _ in range(sweeps):
        for row, column in ((1, 1), (2, 2), (1, 2), (2, 1)):
            relax(u, f, h, omega, row, column)
    return residual(u, f, h)
# %% cell
left = poisson(u, source, sweeps)
result = u, left
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


def relax(u, f, h, omega, row, column):
    around = (
        u[row - 1 : -2 : 2, column:-1:2] + u[row + 1 :: 2, column:-1:2]
        + u[row:-1:2, column - 1 : -2 : 2] + u[row:-1:2, column + 1 :: 2]
    )
    wanted = 0.25 * (around + h * h * f[row:-1:2, column:-1:2])
    return u.at[row:-1:2, column:-1:2].add(omega * (wanted - u[row:-1:2, column:-1:2]))


def residual(u, f, h):
    inner = f[1:-1, 1:-1] - (
        4 * u[1:-1, 1:-1] - u[:-2, 1:-1] - u[2:, 1:-1] - u[1:-1, :-2] - u[1:-1, 2:]
    ) / (h * h)
    return jnp.sqrt(jnp.sum(inner**2) / u.size)


@partial(jax.jit, static_argnums=2)
def poisson(u, f, sweeps):
    h = 1.0 / (u.shape[0] - 1)
    omega = 2.0 / (1.0 + jnp.sin(jnp.pi * h))

    def sweep(_, u):
        for row, column in ((1, 1), (2, 2), (1, 2), (2, 1)):
            u = relax(u, f, h, omega, row, column)
        return u

    u = jax.lax.fori_loop(0, sweeps, sweep, u)
    return u, residual(u, f, h)
# %% jax cell
result = poisson(u, source, sweeps)

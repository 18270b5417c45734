# Many tridiagonal systems at once by Thomas's algorithm: implicit diffusion of many rods.
# %% small
rods, points, steps = 40, 40, 4
# %% large
rods, points, steps = 600, 200, 20
# %% setup
import numpy as np

rng = np.random.default_rng(41)
u = rng.random((points, rods))
conductivity = rng.uniform(0.1, 2.0, rods)
# %% functions
def thomas(lower, diagonal, upper, right):
    n = len(diagonal)
    c = np.zeros_like(diagonal)
    x = np.zeros_like(right)
    c[0] = upper[0] / diagonal[0]
    x[0] = right[0] / diagonal[0]
    for i in range(1, n):
        pivot = diagonal[i] - lower[i] * c[i - 1]
        c[i] = upper[i] / pivot
        x[i] = (right[i] - lower[i] * x[i - 1]) / pivot
    for i in range(n - 2, -1, -1):
        x[i] -= c[i] * x[i + 1]
    return x


def implicit_steps(u, r, steps):
    off = -r * np.ones_like(u)
    diagonal = 1 + 2 * r * np.ones_like(u)
    diagonal[0] -= r
    diagonal[-1] -= r
    for _ in range(steps):
        u = thomas(off, diagonal, off, u)
    return u
# %% cell
u = implicit_steps(u, conductivity, steps)
result = u
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


def thomas(lower, diagonal, upper, right):
    def down(before, row):
        c, x = before
        low, middle, up, value = row
        pivot = middle - low * c
        now = up / pivot, (value - low * x) / pivot
        return now, now

    def back(after, row):
        c, x = row
        value = x - c * after
        return value, value

    nothing = jnp.zeros_like(right[0])
    _, (c, x) = jax.lax.scan(down, (nothing, nothing), (lower, diagonal, upper, right))
    return jax.lax.scan(back, nothing, (c, x), reverse=True)[1]


@partial(jax.jit, static_argnums=2)
def implicit_steps(u, r, steps):
    off = -r * jnp.ones_like(u)
    diagonal = (1 + 2 * r * jnp.ones_like(u)).at[0].add(-r).at[-1].add(-r)
    return jax.lax.fori_loop(0, steps, lambda _, u: thomas(off, diagonal, off, u), u)

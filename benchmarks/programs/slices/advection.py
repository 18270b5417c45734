# A profile that travels round a ring: Lax-Wendroff, neighbours by np.roll.
# %% small
n, steps = 300, 60
# %% large
n, steps = 20_000, 600
# %% setup
import numpy as np

x = np.linspace(0.0, 1.0, n, endpoint=False)
profile = np.exp(-200.0 * (x - 0.3) ** 2)
profile[(x > 0.6) & (x < 0.8)] = 1.0
# %% functions
def lax_wendroff(u, c):
    right = np.roll(u, -1)
    left = np.roll(u, 1)
    return u - 0.5 * c * (right - left) + 0.5 * c**2 * (right - 2 * u + left)


def advect(u, c, steps):
    mass = []
    for _ in range(steps):
        u = lax_wendroff(u, c)
        mass.append(u.sum())
    return u, np.array(mass)
# %% cell
moved, mass = advect(profile, 0.8, steps)
result = moved, mass
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


def lax_wendroff(u, c):
    right = jnp.roll(u, -1)
    left = jnp.roll(u, 1)
    return u - 0.5 * c * (right - left) + 0.5 * c**2 * (right - 2 * u + left)


@partial(jax.jit, static_argnums=2)
def advect(u, c, steps):
    def step(u, _):
        u = lax_wendroff(u, c)
        return u, u.sum()

    return jax.lax.scan(step, u, None, length=steps)

# The Mandelbrot set by complex arrays and masks.
# %% small
width, height, limit = 60, 45, 40
# %% large
width, height, limit = 480, 320, 80
# %% setup
import numpy as np
# %% functions
def mandelbrot(xmin, xmax, ymin, ymax, width, height, limit):
    x = np.linspace(xmin, xmax, width)
    y = np.linspace(ymin, ymax, height)
    c = x[np.newaxis, :] + 1j * y[:, np.newaxis]
    z = np.zeros_like(c)
    count = np.zeros(c.shape, dtype=int)
    for step in range(limit):
        inside = np.abs(z) <= 2.0
        z[inside] = z[inside] ** 2 + c[inside]
        count[inside] += 1
    return z, count
# %% cell
z, count = mandelbrot(-2.0, 0.6, -1.2, 1.2, width, height, limit)
result = count, (count == limit).mean()
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


@partial(jax.jit, static_argnums=(4, 5, 6))
def mandelbrot(xmin, xmax, ymin, ymax, width, height, limit):
    x = jnp.linspace(xmin, xmax, width)
    y = jnp.linspace(ymin, ymax, height)
    c = x[jnp.newaxis, :] + 1j * y[:, jnp.newaxis]

    def step(_, state):
        z, count = state
        inside = jnp.abs(z) <= 2.0
        return jnp.where(inside, z**2 + c, z), count + inside

    start = jnp.zeros_like(c), jnp.zeros(c.shape, dtype=int)
    return jax.lax.fori_loop(0, limit, step, start)
# %% jax cell
z, count = mandelbrot(-2.0, 0.6, -1.2, 1.2, width, height, limit)
result = count, (count == limit).mean(dtype=jnp.float64)

# A rod that is heated at one end: explicit steps, the middle's temperature noted.
# %% small
points, steps = 200, 200
# %% large
points, steps = 4_000, 5_000
# %% setup
import numpy as np

rod = np.zeros(points)
rod[points // 4 : points // 2] = 20.0
# %% functions
def heat(u, r, steps):
    middle = np.zeros(steps)
    for t in range(steps):
        u[1:-1] = u[1:-1] + r * (u[2:] - 2 * u[1:-1] + u[:-2])
        u[0] = 100.0
        u[-1] = u[-2]
        middle[t] = u[len(u) // 2]
    return u, middle
# %% cell
rod, middle = heat(rod, 0.4, steps)
result = rod, middle
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


@partial(jax.jit, static_argnums=2)
def heat(u, r, steps):
    def step(u, _):
        u = u.at[1:-1].set(u[1:-1] + r * (u[2:] - 2 * u[1:-1] + u[:-2]))
        u = u.at[0].set(100.0)
        u = u.at[-1].set(u[-2])
        return u, u[len(u) // 2]

    return jax.lax.scan(step, u, None, length=steps)

# Laplace's equation on a plate by Jacobi's method, until nothing changes any more.
# %% small
n, tolerance = 24, 1e-3
# %% large
n, tolerance = 128, 1.5e-4
# %% setup
import numpy as np

plate = np.zeros((n, n))
plate[0, :] = 1.0
plate[:, 0] = np.linspace(1.0, 0.0, n)
# %% functions
def jacobi(plate, tolerance, limit=2000):
    u = plate.copy()
    for iteration in range(limit):
        old = u.copy()
        u[1:-1, 1:-1] = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
        change = np.max(np.abs(u - old))
        if change < tolerance:
            break
    return u, iteration
# %% cell
u, iterations = jacobi(plate, tolerance)
result = u, iterations
# %% jax
import jax
import jax.numpy as jnp


@jax.jit
def jacobi(plate, tolerance, limit=2000):
    def goes_on(state):
        _, change, iteration = state
        return (change >= tolerance) & (iteration < limit - 1)

    def step(state):
        old, _, iteration = state
        inner = 0.25 * (old[:-2, 1:-1] + old[2:, 1:-1] + old[1:-1, :-2] + old[1:-1, 2:])
        u = old.at[1:-1, 1:-1].set(inner)
        return u, jnp.max(jnp.abs(u - old)), iteration + 1

    u, _, iteration = jax.lax.while_loop(goes_on, step, (plate, jnp.inf, -1))
    return u, iteration

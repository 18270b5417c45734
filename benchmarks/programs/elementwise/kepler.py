# Kepler's equation by Newton's method for many orbits, until all have settled.
# %% small
n = 4_000
# %% large
n = 150_000
# %% setup
import numpy as np

rng = np.random.default_rng(59)
anomaly = rng.uniform(0.0, 2 * np.pi, n)
eccentricity = rng.uniform(0.0, 0.7, n)
axis = rng.uniform(0.4, 30.0, n)
# %% functions
def kepler(M, e, tolerance=1e-12, limit=50):
    E = M + e * np.sin(M)
    for iteration in range(limit):
        delta = (E - e * np.sin(E) - M) / (1 - e * np.cos(E))
        E -= delta
        if np.all(np.abs(delta) < tolerance):
            return E, iteration + 1
    return E, limit


def on_orbit(E, e, axis):
    x = axis * (np.cos(E) - e)
    y = axis * np.sqrt(1 - e * e) * np.sin(E)
    return x, y, np.hypot(x, y)
# %% cell
E, iterations = kepler(anomaly, eccentricity)
x, y, radius = on_orbit(E, eccentricity, axis)
result = E, iterations, x, y, radius
# %% jax
import jax
import jax.numpy as jnp


@jax.jit
def kepler(M, e, tolerance=1e-12, limit=50):
    def goes_on(state):
        _, largest, iteration = state
        return (largest >= tolerance) & (iteration < limit)

    def step(state):
        E, _, iteration = state
        delta = (E - e * jnp.sin(E) - M) / (1 - e * jnp.cos(E))
        return E - delta, jnp.max(jnp.abs(delta)), iteration + 1

    E, _, iteration = jax.lax.while_loop(goes_on, step, (M + e * jnp.sin(M), jnp.inf, 0))
    return E, iteration


@jax.jit
def on_orbit(E, e, axis):
    x = axis * (jnp.cos(E) - e)
    y = axis * jnp.sqrt(1 - e * e) * jnp.sin(E)
    return x, y, jnp.hypot(x, y)

# Columns with mean 0 and deviation 1, extremes clipped, and their correlations.
# %% small
rows, columns = 6_000, 8
# %% large
rows, columns = 200_000, 12
# %% setup
import numpy as np

rng = np.random.default_rng(53)
table = rng.normal(size=(rows, columns)) * rng.uniform(0.5, 20.0, columns) + rng.normal(size=columns)
table[:, 3] = 7.0
# %% functions
def standardise(x, limit=3.0):
    mean = x.mean(axis=0)
    deviation = x.std(axis=0, ddof=1)
    deviation[deviation < 1e-12] = 1.0
    z = (x - mean) / deviation
    clipped = np.abs(z) > limit
    return np.clip(z, -limit, limit), clipped.sum(axis=0), mean, deviation


def rescale(x):
    low, high = x.min(axis=0), x.max(axis=0)
    span = np.where(high > low, high - low, 1.0)
    return (x - low) / span
# %% cell
z, clipped, mean, deviation = standardise(table)
unit = rescale(table)
result = z, clipped, mean, deviation, unit
# %% jax
import jax
import jax.numpy as jnp


@jax.jit
def standardise(x, limit=3.0):
    mean = x.mean(axis=0)
    deviation = x.std(axis=0, ddof=1)
    deviation = jnp.where(deviation < 1e-12, 1.0, deviation)
    z = (x - mean) / deviation
    clipped = jnp.abs(z) > limit
    return jnp.clip(z, -limit, limit), clipped.sum(axis=0), mean, deviation


@jax.jit
def rescale(x):
    low, high = x.min(axis=0), x.max(axis=0)
    span = jnp.where(high > low, high - low, 1.0)
    return (x - low) / span

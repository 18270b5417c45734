# Weighted mean, variance, skewness and kurtosis of every row, missing values left out.
# %% small
rows, columns = 50, 300
# %% large
rows, columns = 200, 3_000
# %% setup
import numpy as np

rng = np.random.default_rng(60)
values = rng.gamma(2.0, 1.5, (rows, columns))
values[rng.random((rows, columns)) < 0.05] = np.nan
weights = rng.uniform(0.2, 1.0, (rows, columns))
# %% functions
def weighted_moments(x, w):
    missing = np.isnan(x)
    w = np.where(missing, 0.0, w)
    x = np.where(missing, 0.0, x)
    total = np.sum(w, axis=1)
    mean = np.sum(w * x, axis=1) / total
    d = x - mean[:, np.newaxis]
    variance = np.sum(w * d**2, axis=1) / total
    skewness = np.sum(w * d**3, axis=1) / total / variance**1.5
    kurtosis = np.sum(w * d**4, axis=1) / total / variance**2 - 3
    return mean, variance, skewness, kurtosis, missing.sum()
# %% cell
mean, variance, skewness, kurtosis, missing = weighted_moments(values, weights)
result = mean, variance, skewness, kurtosis, missing
# %% jax
import jax
import jax.numpy as jnp


@jax.jit
def weighted_moments(x, w):
    missing = jnp.isnan(x)
    w = jnp.where(missing, 0.0, w)
    x = jnp.where(missing, 0.0, x)
    total = jnp.sum(w, axis=1)
    mean = jnp.sum(w * x, axis=1) / total
    d = x - mean[:, jnp.newaxis]
    variance = jnp.sum(w * d**2, axis=1) / total
    skewness = jnp.sum(w * d**3, axis=1) / total / variance**1.5
    kurtosis = jnp.sum(w * d**4, axis=1) / total / variance**2 - 3
    return mean, variance, skewness, kurtosis, missing.sum()

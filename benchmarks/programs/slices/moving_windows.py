# Moving mean and deviation by cumulated sums, and the points that stand out.
# %% small
n, width = 20_000, 50
# %% large
n, width = 600_000, 250
# %% setup
import numpy as np

rng = np.random.default_rng(40)
series = np.sin(np.arange(n) / 300.0) + rng.normal(0.0, 0.2, n)
series[rng.integers(0, n, 20)] += 3.0
# %% functions
def moving_mean(x, width):
    total = np.cumsum(x)
    out = np.empty(len(x) - width + 1)
    out[0] = total[width - 1]
    out[1:] = total[width:] - total[:-width]
    return out / width


def standing_out(x, width, threshold):
    mean = moving_mean(x, width)
    variance = moving_mean(x * x, width) - mean**2
    deviation = np.sqrt(np.maximum(variance, 1e-12))
    score = np.zeros(len(x))
    score[width:] = (x[width:] - mean[:-1]) / deviation[:-1]
    return score, np.nonzero(np.abs(score) > threshold)[0]
# %% cell
score, outliers = standing_out(series, width, 4.0)
result = score, outliers
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


def moving_mean(x, width):
    total = jnp.cumsum(x)
    return jnp.concatenate([total[width - 1 : width], total[width:] - total[:-width]]) / width


@partial(jax.jit, static_argnums=1)
def scores(x, width):
    mean = moving_mean(x, width)
    variance = moving_mean(x * x, width) - mean**2
    deviation = jnp.sqrt(jnp.maximum(variance, 1e-12))
    late = (x[width:] - mean[:-1]) / deviation[:-1]
    return jnp.concatenate([jnp.zeros(width), late])


def standing_out(x, width, threshold):
    score = scores(x, width)
    return score, jnp.nonzero(jnp.abs(score) > threshold)[0]

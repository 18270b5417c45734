# Prices of European options, the normal distribution by a polynomial (Horner).
# %% small
n = 10_000
# %% large
n = 400_000
# %% setup
import numpy as np

rng = np.random.default_rng(51)
spot = rng.uniform(20.0, 120.0, n)
strike = rng.uniform(30.0, 110.0, n)
years = rng.uniform(0.1, 3.0, n)
# %% functions
def horner(coefficients, x):
    value = np.zeros_like(x)
    for c in coefficients:
        value = value * x + c
    return value


def erf(x):  # Abramowitz and Stegun 7.1.26
    sign = np.sign(x)
    x = np.abs(x)
    t = 1.0 / (1.0 + 0.3275911 * x)
    p = horner((1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592, 0.0), t)
    return sign * (1.0 - p * np.exp(-x * x))


def normal_cdf(x):
    return 0.5 * (1.0 + erf(x / np.sqrt(2.0)))


def black_scholes(spot, strike, years, rate, sigma):
    root = sigma * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * sigma**2) * years) / root
    d2 = d1 - root
    paid = strike * np.exp(-rate * years)
    call = spot * normal_cdf(d1) - paid * normal_cdf(d2)
    put = paid * normal_cdf(-d2) - spot * normal_cdf(-d1)
    return call, put
# %% cell
call, put = black_scholes(spot, strike, years, 0.03, 0.25)
result = call, put
# %% jax
import jax
import jax.numpy as jnp


def horner(coefficients, x):
    value = jnp.zeros_like(x)
    for c in coefficients:
        value = value * x + c
    return value


def erf(x):
    sign = jnp.sign(x)
    x = jnp.abs(x)
    t = 1.0 / (1.0 + 0.3275911 * x)
    p = horner((1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592, 0.0), t)
    return sign * (1.0 - p * jnp.exp(-x * x))


def normal_cdf(x):
    return 0.5 * (1.0 + erf(x / jnp.sqrt(2.0)))


@jax.jit
def black_scholes(spot, strike, years, rate, sigma):
    root = sigma * jnp.sqrt(years)
    d1 = (jnp.log(spot / strike) + (rate + 0.5 * sigma**2) * years) / root
    d2 = d1 - root
    paid = strike * jnp.exp(-rate * years)
    call = spot * normal_cdf(d1) - paid * normal_cdf(d2)
    put = paid * normal_cdf(-d2) - spot * normal_cdf(-d1)
    return call, put

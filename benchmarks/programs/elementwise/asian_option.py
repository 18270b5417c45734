# An Asian option by Monte Carlo: paths of a stock, the mean price, its error.
# %% small
paths, days = 400, 50
# %% large
paths, days = 8_000, 250
# %% setup
import numpy as np

draws = np.random.default_rng(61).standard_normal((paths, days))
# %% functions
def stock_paths(s0, rate, sigma, years, draws):
    dt = years / draws.shape[1]
    growth = (rate - 0.5 * sigma**2) * dt + sigma * np.sqrt(dt) * draws
    return s0 * np.exp(np.cumsum(growth, axis=1))


def asian_option(s0, strike, rate, sigma, years, draws):
    prices = stock_paths(s0, rate, sigma, years, draws)
    payoff = np.maximum(prices.mean(axis=1) - strike, 0)
    payoff *= np.exp(-rate * years)
    error = payoff.std() / np.sqrt(len(payoff))
    highest = np.maximum.accumulate(prices, axis=1)
    drawdown = np.max(1 - prices / highest, axis=1)
    return payoff.mean(), error, drawdown
# %% cell
price, error, drawdown = asian_option(100.0, 95.0, 0.02, 0.3, 1.0, draws)
result = price, error, drawdown
# %% jax
import jax
import jax.numpy as jnp


def stock_paths(s0, rate, sigma, years, draws):
    dt = years / draws.shape[1]
    growth = (rate - 0.5 * sigma**2) * dt + sigma * jnp.sqrt(dt) * draws
    return s0 * jnp.exp(jnp.cumsum(growth, axis=1))


@jax.jit
def asian_option(s0, strike, rate, sigma, years, draws):
    prices = stock_paths(s0, rate, sigma, years, draws)
    payoff = jnp.maximum(prices.mean(axis=1) - strike, 0)
    payoff = payoff * jnp.exp(-rate * years)
    error = payoff.std() / jnp.sqrt(len(payoff))
    highest = jax.lax.cummax(prices, axis=1)
    drawdown = jnp.max(1 - prices / highest, axis=1)
    return payoff.mean(), error, drawdown

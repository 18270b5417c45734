# A symmetric system by conjugate gradients, the residuals noted.
# %% small
n = 200
# %% large
n = 2_500
# %% setup
import numpy as np

rng = np.random.default_rng(76)
half = rng.normal(size=(n, n // 8)) * 2 / np.sqrt(n)
A = half @ half.T + np.diag(rng.uniform(0.5, 2.0, n))
b = rng.normal(size=n)
# %% functions
def conjugate_gradient(A, b, tolerance=1e-6, limit=200):
    x = np.zeros_like(b)
    r = b - A.dot(x)
    p = r.copy()
    rr = r.dot(r)
    residuals = np.zeros(limit)
    count = 0
    while count < limit:
        Ap = A.dot(p)
        alpha = rr / p.dot(Ap)
        x += alpha * p
        r -= alpha * Ap
        rr_new = r.dot(r)
        residuals[count] = np.sqrt(rr_new)
        count += 1
        if np.sqrt(rr_new) < tolerance:
            break
        p = r + (rr_new / rr) * p
        rr = rr_new
    return x, residuals[:count]
# %% cell
x, residuals = conjugate_gradient(A, b)
result = x, residuals
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


@partial(jax.jit, static_argnums=3)
def iterate(A, b, tolerance, limit):
    def goes_on(state):
        _, _, _, rr, _, count = state
        return (jnp.sqrt(rr) >= tolerance) & (count < limit)

    def step(state):
        x, r, p, rr, residuals, count = state
        Ap = A.dot(p)
        alpha = rr / p.dot(Ap)
        r = r - alpha * Ap
        new = r.dot(r)
        residuals = residuals.at[count].set(jnp.sqrt(new))
        return x + alpha * p, r, r + (new / rr) * p, new, residuals, count + 1

    start = jnp.zeros_like(b), b, b, b.dot(b), jnp.zeros(limit), 0
    x, _, _, _, residuals, count = jax.lax.while_loop(goes_on, step, start)
    return x, residuals, count


def conjugate_gradient(A, b, tolerance=1e-6, limit=200):
    x, residuals, count = iterate(A, b, tolerance, limit)
    return x, residuals[: int(count)]

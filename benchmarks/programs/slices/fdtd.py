# A pulse of light in a metal box: Yee's scheme in two dimensions, 32-bit fields.
# %% small
n, steps = 40, 50
# %% large
n, steps = 240, 250
# %% setup
import numpy as np

ez = np.zeros((n, n), dtype=np.float32)
hx = np.zeros((n, n - 1), dtype=np.float32)
hy = np.zeros((n - 1, n), dtype=np.float32)
pulse = np.exp(-(((np.arange(steps) - 20.0) / 6.0) ** 2)).astype(np.float32)
# %% functions
def propagate(ez, hx, hy, pulse):
    courant = 0.5
    energy = np.zeros(len(pulse), dtype=np.float32)
    n = len(ez)
    for t in range(len(pulse)):
        hx -= courant * (ez[:, 1:] - ez[:, :-1])
        hy += courant * (ez[1:, :] - ez[:-1, :])
        ez[1:-1, 1:-1] += courant * (
            (hy[1:, 1:-1] - hy[:-1, 1:-1]) - (hx[1:-1, 1:] - hx[1:-1, :-1])
        )
        ez[n // 3, n // 2] += pulse[t]
        energy[t] = np.sum(ez**2)
    return energy
# %% cell
energy = propagate(ez, hx, hy, pulse)
result = ez, hx, hy, energy
# %% jax
import jax
import jax.numpy as jnp


@jax.jit
def propagate(ez, hx, hy, pulse):
    courant = 0.5
    n = len(ez)

    def step(fields, source):
        ez, hx, hy = fields
        hx = hx - courant * (ez[:, 1:] - ez[:, :-1])
        hy = hy + courant * (ez[1:, :] - ez[:-1, :])
        curl = (hy[1:, 1:-1] - hy[:-1, 1:-1]) - (hx[1:-1, 1:] - hx[1:-1, :-1])
        ez = ez.at[1:-1, 1:-1].add(courant * curl)
        ez = ez.at[n // 3, n // 2].add(source)
        return (ez, hx, hy), jnp.sum(ez**2)

    return jax.lax.scan(step, (ez, hx, hy), pulse)
# %% jax cell
(ez, hx, hy), energy = propagate(ez, hx, hy, pulse)
result = ez, hx, hy, energy

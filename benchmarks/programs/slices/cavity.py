# Flow in a box whose lid moves: vorticity and stream function, Reynolds number 100.
# %% small
n, steps = 20, 6
# %% large
n, steps = 64, 60
# %% setup
import numpy as np

psi = np.zeros((n, n))
omega = np.zeros((n, n))
# %% functions
def solve_stream(psi, omega, h, sweeps):
    for _ in range(sweeps):
        psi[1:-1, 1:-1] = 0.25 * (
            psi[2:, 1:-1] + psi[:-2, 1:-1] + psi[1:-1, 2:] + psi[1:-1, :-2]
            + h * h * omega[1:-1, 1:-1]
        )
    return psi


def walls(omega, psi, h, lid):
    omega[0, :] = -2.0 * psi[1, :] / h**2
    omega[:, 0] = -2.0 * psi[:, 1] / h**2
    omega[:, -1] = -2.0 * psi[:, -2] / h**2
    omega[-1, :] = -2.0 * psi[-2, :] / h**2 - 2.0 * lid / h
    return omega


def transport(omega, psi, h, dt, nu):
    u = (psi[2:, 1:-1] - psi[:-2, 1:-1]) / (2 * h)
    v = -(psi[1:-1, 2:] - psi[1:-1, :-2]) / (2 * h)
    wx = (omega[1:-1, 2:] - omega[1:-1, :-2]) / (2 * h)
    wy = (omega[2:, 1:-1] - omega[:-2, 1:-1]) / (2 * h)
    laplacian = (
        omega[2:, 1:-1] + omega[:-2, 1:-1] + omega[1:-1, 2:] + omega[1:-1, :-2]
        - 4 * omega[1:-1, 1:-1]
    ) / h**2
    omega[1:-1, 1:-1] += dt * (nu * laplacian - u * wx - v * wy)
    return omega


def cavity(psi, omega, steps):
    h = 1.0 / (len(psi) - 1)
    nu = 0.01
    dt = 0.2 * h * h / nu
    for _ in range(steps):
        psi = solve_stream(psi, omega, h, 20)
        omega = walls(omega, psi, h, 1.0)
        omega = transport(omega, psi, h, dt, nu)
    return psi, omega
# %% cell
psi, omega = cavity(psi, omega, steps)
result = psi, omega
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


def solve_stream(psi, omega, h, sweeps):
    def sweep(_, psi):
        around = psi[2:, 1:-1] + psi[:-2, 1:-1] + psi[1:-1, 2:] + psi[1:-1, :-2]
        return psi.at[1:-1, 1:-1].set(0.25 * (around + h * h * omega[1:-1, 1:-1]))

    return jax.lax.fori_loop(0, sweeps, sweep, psi)


def walls(omega, psi, h, lid):
    omega = omega.at[0, :].set(-2.0 * psi[1, :] / h**2)
    omega = omega.at[:, 0].set(-2.0 * psi[:, 1] / h**2)
    omega = omega.at[:, -1].set(-2.0 * psi[:, -2] / h**2)
    return omega.at[-1, :].set(-2.0 * psi[-2, :] / h**2 - 2.0 * lid / h)


def transport(omega, psi, h, dt, nu):
    u = (psi[2:, 1:-1] - psi[:-2, 1:-1]) / (2 * h)
    v = -(psi[1:-1, 2:] - psi[1:-1, :-2]) / (2 * h)
    wx = (omega[1:-1, 2:] - omega[1:-1, :-2]) / (2 * h)
    wy = (omega[2:, 1:-1] - omega[:-2, 1:-1]) / (2 * h)
    around = omega[2:, 1:-1] + omega[:-2, 1:-1] + omega[1:-1, 2:] + omega[1:-1, :-2]
    laplacian = (around - 4 * omega[1:-1, 1:-1]) / h**2
    return omega.at[1:-1, 1:-1].add(dt * (nu * laplacian - u * wx - v * wy))


@partial(jax.jit, static_argnums=2)
def cavity(psi, omega, steps):
    h = 1.0 / (len(psi) - 1)
    nu = 0.01
    dt = 0.2 * h * h / nu

    def step(_, state):
        psi, omega = state
        psi = solve_stream(psi, omega, h, 20)
        omega = walls(omega, psi, h, 1.0)
        return psi, transport(omega, psi, h, dt, nu)

    return jax.lax.fori_loop(0, steps, step, (psi, omega))

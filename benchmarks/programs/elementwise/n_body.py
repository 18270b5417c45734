# Stars that attract each other: all pairs by broadcasting, leapfrog steps, the energy.
# %% small
bodies, steps = 40, 8
# %% large
bodies, steps = 250, 25
# %% setup
import numpy as np

rng = np.random.default_rng(54)
position = rng.normal(size=(bodies, 3))
velocity = 0.3 * rng.normal(size=(bodies, 3))
mass = rng.uniform(0.5, 1.5, bodies) / bodies
# %% functions
def acceleration(position, mass, softening=0.05):
    apart = position[None, :, :] - position[:, None, :]
    squared = (apart**2).sum(axis=-1) + softening**2
    pull = mass / squared**1.5
    return (apart * pull[:, :, None]).sum(axis=1)


def energy(position, velocity, mass, softening=0.05):
    kinetic = 0.5 * np.sum(mass * np.sum(velocity**2, axis=1))
    apart = position[None, :, :] - position[:, None, :]
    distance = np.sqrt((apart**2).sum(axis=-1) + softening**2)
    pairs = np.triu(mass[:, None] * mass[None, :] / distance, 1)
    return kinetic - pairs.sum()


def simulate(position, velocity, mass, dt, steps):
    energies = np.zeros(steps)
    a = acceleration(position, mass)
    for step in range(steps):
        velocity = velocity + 0.5 * dt * a
        position = position + dt * velocity
        a = acceleration(position, mass)
        velocity = velocity + 0.5 * dt * a
        energies[step] = energy(position, velocity, mass)
    return position, velocity, energies
# %% cell
position, velocity, energies = simulate(position, velocity, mass, 0.01, steps)
result = position, velocity, energies
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


def acceleration(position, mass, softening=0.05):
    apart = position[None, :, :] - position[:, None, :]
    squared = (apart**2).sum(axis=-1) + softening**2
    pull = mass / squared**1.5
    return (apart * pull[:, :, None]).sum(axis=1)


def energy(position, velocity, mass, softening=0.05):
    kinetic = 0.5 * jnp.sum(mass * jnp.sum(velocity**2, axis=1))
    apart = position[None, :, :] - position[:, None, :]
    distance = jnp.sqrt((apart**2).sum(axis=-1) + softening**2)
    pairs = jnp.triu(mass[:, None] * mass[None, :] / distance, 1)
    return kinetic - pairs.sum()


@partial(jax.jit, static_argnums=4)
def simulate(position, velocity, mass, dt, steps):
    def step(state, _):
        position, velocity, a = state
        velocity = velocity + 0.5 * dt * a
        position = position + dt * velocity
        a = acceleration(position, mass)
        velocity = velocity + 0.5 * dt * a
        return (position, velocity, a), energy(position, velocity, mass)

    start = position, velocity, acceleration(position, mass)
    (position, velocity, _), energies = jax.lax.scan(step, start, None, length=steps)
    return position, velocity, energies

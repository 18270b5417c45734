# A Kalman filter that follows a body in the plane from noisy positions.
# %% small
steps = 60
# %% large
steps = 2_000
# %% setup
import numpy as np

rng = np.random.default_rng(82)
angle = np.linspace(0.0, 4 * np.pi, steps)
path = np.stack([10 * np.cos(angle), 5 * np.sin(2 * angle)], axis=1)
measured = path + rng.normal(0.0, 0.4, path.shape)
# %% functions
def predict(x, P, F, Q):
    return F @ x, F @ P @ F.T + Q


def update(x, P, z, H, R):
    innovation = z - H @ x
    S = H @ P @ H.T + R
    K = P @ H.T @ np.linalg.inv(S)
    x = x + K @ innovation
    P = (np.eye(len(x)) - K @ H) @ P
    return x, P


def kalman(measured, dt, noise):
    F = np.eye(4)
    F[0, 2] = F[1, 3] = dt
    H = np.zeros((2, 4))
    H[0, 0] = H[1, 1] = 1.0
    Q = 0.01 * np.eye(4)
    R = noise**2 * np.eye(2)
    x, P = np.zeros(4), 10.0 * np.eye(4)
    track = np.zeros((len(measured), 4))
    for t, z in enumerate(measured):
        x, P = predict(x, P, F, Q)
        x, P = update(x, P, z, H, R)
        track[t] = x
    return track, P
# %% cell
track, P = kalman(measured, 0.1, 0.4)
error = np.sqrt(((track[:, :2] - path) ** 2).mean())
result = track, P, error
# %% jax
import jax
import jax.numpy as jnp


def predict(x, P, F, Q):
    return F @ x, F @ P @ F.T + Q


def update(x, P, z, H, R):
    innovation = z - H @ x
    S = H @ P @ H.T + R
    K = P @ H.T @ jnp.linalg.inv(S)
    x = x + K @ innovation
    P = (jnp.eye(len(x)) - K @ H) @ P
    return x, P


@jax.jit
def kalman(measured, dt, noise):
    F = jnp.eye(4).at[0, 2].set(dt).at[1, 3].set(dt)
    H = jnp.eye(2, 4)
    Q = 0.01 * jnp.eye(4)
    R = noise**2 * jnp.eye(2)

    def step(state, z):
        x, P = update(*predict(*state, F, Q), z, H, R)
        return (x, P), x

    (_, P), track = jax.lax.scan(step, (jnp.zeros(4), 10.0 * jnp.eye(4)), measured)
    return track, P
# %% jax cell
track, P = kalman(measured, 0.1, 0.4)
error = jnp.sqrt(((track[:, :2] - path) ** 2).mean())
result = track, P, error

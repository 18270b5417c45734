# Logistic regression by gradient descent until the gradient is small.
# %% small
samples, features, limit = 300, 6, 60
# %% large
samples, features, limit = 12_000, 20, 150
# %% setup
import numpy as np

rng = np.random.default_rng(73)
X = rng.normal(size=(samples, features))
truth = rng.normal(size=features)
y = (X @ truth + 0.5 * rng.normal(size=samples) > 0).astype(float)
# %% functions
def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


def loss_of(w, b, X, y, l2):
    p = np.clip(sigmoid(np.dot(X, w) + b), 1e-12, 1 - 1e-12)
    return -np.mean(y * np.log(p) + (1 - y) * np.log(1 - p)) + 0.5 * l2 * np.dot(w, w)


def logistic_regression(X, y, rate=0.5, l2=1e-3, limit=100, tolerance=1e-4):
    n, features = X.shape
    w = np.zeros(features)
    b = 0.0
    history = []
    for iteration in range(limit):
        error = sigmoid(np.dot(X, w) + b) - y
        gradient = np.dot(X.T, error) / n + l2 * w
        w = w - rate * gradient
        b = b - rate * np.mean(error)
        if iteration % 10 == 0:
            history.append(loss_of(w, b, X, y, l2))
        if np.linalg.norm(gradient) < tolerance:
            break
    return w, b, history
# %% cell
w, b, history = logistic_regression(X, y, limit=limit)
accuracy = np.mean((sigmoid(X @ w + b) > 0.5) == y)
result = w, b, np.array(history), accuracy
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


def sigmoid(z):
    return 1.0 / (1.0 + jnp.exp(-z))


def loss_of(w, b, X, y, l2):
    p = jnp.clip(sigmoid(jnp.dot(X, w) + b), 1e-12, 1 - 1e-12)
    return -jnp.mean(y * jnp.log(p) + (1 - y) * jnp.log(1 - p)) + 0.5 * l2 * jnp.dot(w, w)


@partial(jax.jit, static_argnames="limit")
def descend(X, y, rate=0.5, l2=1e-3, limit=100, tolerance=1e-4):
    n, features = X.shape

    def goes_on(state):
        _, _, _, size, iteration = state
        return (size >= tolerance) & (iteration < limit)

    def step(state):
        w, b, history, _, iteration = state
        error = sigmoid(jnp.dot(X, w) + b) - y
        gradient = jnp.dot(X.T, error) / n + l2 * w
        w = w - rate * gradient
        b = b - rate * jnp.mean(error)
        history = jax.lax.cond(
            iteration % 10 == 0,
            lambda: history.at[iteration // 10].set(loss_of(w, b, X, y, l2)),
            lambda: history,
        )
        return w, b, history, jnp.linalg.norm(gradient), iteration + 1

    start = jnp.zeros(features), 0.0, jnp.zeros(-(-limit // 10)), jnp.inf, 0
    return jax.lax.while_loop(goes_on, step, start)


def logistic_regression(X, y, limit):
    w, b, history, _, iterations = descend(X, y, limit=limit)
    return w, b, history[: -(-int(iterations) // 10)]
# %% jax cell
w, b, history = logistic_regression(X, y, limit=limit)
accuracy = jnp.mean((sigmoid(X @ w + b) > 0.5) == y, dtype=jnp.float64)
result = w, b, history, accuracy

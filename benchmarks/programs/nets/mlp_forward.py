# A network of three layers applied to batches, in 32 bits; the classes that it picks.
# %% small
samples, hidden, batch = 1_000, 64, 100
# %% large
samples, hidden, batch = 40_000, 160, 500
# %% setup
import numpy as np

rng = np.random.default_rng(71)
X = rng.normal(size=(samples, 64)).astype(np.float32)
sizes = [64, hidden, hidden, 10]
weights, biases = [], []
for fan_in, fan_out in zip(sizes[:-1], sizes[1:]):
    weights.append((rng.normal(size=(fan_in, fan_out)) * np.sqrt(2 / fan_in)).astype(np.float32))
    biases.append(np.zeros(fan_out, dtype=np.float32))
# %% functions
def relu(x):
    return np.maximum(x, 0)


def softmax(x):
    e = np.exp(x - np.max(x, axis=-1, keepdims=True))
    return e / np.sum(e, axis=-1, keepdims=True)


def forward(x, weights, biases):
    for W, b in zip(weights[:-1], biases[:-1]):
        x = relu(x @ W + b)
    return softmax(x @ weights[-1] + biases[-1])


def predict(X, weights, biases, batch):
    out = np.empty((len(X), weights[-1].shape[1]), dtype=np.float32)
    for start in range(0, len(X), batch):
        out[start : start + batch] = forward(X[start : start + batch], weights, biases)
    return out
# %% cell
probabilities = predict(X, weights, biases, batch)
classes = probabilities.argmax(axis=1)
result = probabilities, classes
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


def relu(x):
    return jnp.maximum(x, 0)


def softmax(x):
    e = jnp.exp(x - jnp.max(x, axis=-1, keepdims=True))
    return e / jnp.sum(e, axis=-1, keepdims=True)


def forward(x, weights, biases):
    for W, b in zip(weights[:-1], biases[:-1]):
        x = relu(x @ W + b)
    return softmax(x @ weights[-1] + biases[-1])


@partial(jax.jit, static_argnums=3)
def predict(X, weights, biases, batch):
    batches = X.reshape(-1, batch, X.shape[1])
    out = jax.lax.map(lambda x: forward(x, weights, biases), batches)
    return out.reshape(len(X), -1)

# Softmax of every row in 32 bits, the cross entropy of the labels, and its gradient.
# %% small
rows, classes = 1_500, 50
# %% large
rows, classes = 50_000, 100
# %% setup
import numpy as np

rng = np.random.default_rng(52)
logits = rng.normal(0.0, 3.0, (rows, classes)).astype(np.float32)
labels = rng.integers(0, classes, rows)
# %% functions
def softmax(x):
    shifted = x - x.max(axis=1, keepdims=True)
    e = np.exp(shifted)
    return e / e.sum(axis=1, keepdims=True)


def cross_entropy(logits, labels):
    n = len(labels)
    p = softmax(logits)
    picked = p[np.arange(n), labels]
    loss = -np.mean(np.log(picked))
    gradient = p.copy()
    gradient[np.arange(n), labels] -= 1
    gradient /= n
    right = np.argmax(p, axis=1) == labels
    return loss, gradient, right.mean()
# %% cell
loss, gradient, accuracy = cross_entropy(logits, labels)
result = loss, gradient, accuracy
# %% jax
import jax
import jax.numpy as jnp


def softmax(x):
    shifted = x - x.max(axis=1, keepdims=True)
    e = jnp.exp(shifted)
    return e / e.sum(axis=1, keepdims=True)


@jax.jit
def cross_entropy(logits, labels):
    n = len(labels)
    p = softmax(logits)
    rows = jnp.arange(n)
    loss = -jnp.mean(jnp.log(p[rows, labels]))
    gradient = p.at[rows, labels].add(-1) / n
    right = jnp.argmax(p, axis=1) == labels
    return loss, gradient, right.mean(dtype=jnp.float64)

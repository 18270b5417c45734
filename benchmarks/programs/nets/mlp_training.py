# A network of two layers trained by hand: minibatches, gradients, momentum.
# %% small
samples, hidden, epochs, batch = 500, 16, 3, 50
# %% large
samples, hidden, epochs, batch = 10_000, 64, 6, 100
# %% setup
import numpy as np

rng = np.random.default_rng(72)
X = rng.normal(size=(samples, 20))
y = np.sin(X[:, :1]) + X[:, 1:2] * X[:, 2:3]
W1, b1 = rng.normal(size=(20, hidden)) * 0.2, np.zeros(hidden)
W2, b2 = rng.normal(size=(hidden, 1)) * 0.2, np.zeros(1)
# %% functions
def forward(X, W1, b1, W2, b2):
    h = np.tanh(X @ W1 + b1)
    return h, h @ W2 + b2


def gradients(X, y, W1, b1, W2, b2):
    h, out = forward(X, W1, b1, W2, b2)
    error = out - y
    loss = np.mean(error**2)
    dout = 2 * error / len(X)
    dW2 = h.T @ dout
    db2 = dout.sum(axis=0)
    dh = dout @ W2.T * (1 - h**2)
    dW1 = X.T @ dh
    db1 = dh.sum(axis=0)
    return loss, dW1, db1, dW2, db2


def train(X, y, W1, b1, W2, b2, epochs, batch, rate=0.05, momentum=0.9):
    vW1, vb1 = np.zeros_like(W1), np.zeros_like(b1)
    vW2, vb2 = np.zeros_like(W2), np.zeros_like(b2)
    losses = []
    for epoch in range(epochs):
        total = 0.0
        for start in range(0, len(X), batch):
            xb, yb = X[start : start + batch], y[start : start + batch]
            loss, dW1, db1, dW2, db2 = gradients(xb, yb, W1, b1, W2, b2)
            vW1 = momentum * vW1 - rate * dW1
            vb1 = momentum * vb1 - rate * db1
            vW2 = momentum * vW2 - rate * dW2
            vb2 = momentum * vb2 - rate * db2
            W1 += vW1
            b1 += vb1
            W2 += vW2
            b2 += vb2
            total += loss
        losses.append(total / (len(X) // batch))
    return losses
# %% cell
losses = train(X, y, W1, b1, W2, b2, epochs, batch)
result = W1, b1, W2, b2, np.array(losses)
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


def forward(X, W1, b1, W2, b2):
    h = jnp.tanh(X @ W1 + b1)
    return h, h @ W2 + b2


def gradients(X, y, W1, b1, W2, b2):
    h, out = forward(X, W1, b1, W2, b2)
    error = out - y
    loss = jnp.mean(error**2)
    dout = 2 * error / len(X)
    dh = dout @ W2.T * (1 - h**2)
    return loss, (X.T @ dh, dh.sum(axis=0), h.T @ dout, dout.sum(axis=0))


@partial(jax.jit, static_argnums=(6, 7))
def train(X, y, W1, b1, W2, b2, epochs, batch, rate=0.05, momentum=0.9):
    batches = X.reshape(-1, batch, X.shape[1]), y.reshape(-1, batch, 1)

    def step(state, pair):
        parameters, speeds = state
        loss, slopes = gradients(*pair, *parameters)
        speeds = tuple(momentum * v - rate * d for v, d in zip(speeds, slopes))
        return (tuple(p + v for p, v in zip(parameters, speeds)), speeds), loss

    def epoch(state, _):
        state, losses = jax.lax.scan(step, state, batches)
        return state, losses.mean()

    start = W1, b1, W2, b2
    state = start, tuple(map(jnp.zeros_like, start))
    (parameters, _), losses = jax.lax.scan(epoch, state, None, length=epochs)
    return *parameters, losses
# %% jax cell
result = train(X, y, W1, b1, W2, b2, epochs, batch)

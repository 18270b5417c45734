# An LSTM over a batch of sequences, its four gates cut from one product.
# %% small
batch, length, inputs, hidden = 8, 40, 10, 24
# %% large
batch, length, inputs, hidden = 64, 120, 40, 128
# %% setup
import numpy as np

rng = np.random.default_rng(78)
sequence = rng.normal(size=(length, batch, inputs))
W = rng.normal(size=(inputs, 4 * hidden)) * 0.2
U = rng.normal(size=(hidden, 4 * hidden)) * 0.2
bias = np.zeros(4 * hidden)
bias[hidden : 2 * hidden] = 1.0
# %% functions
def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm_cell(x, h, c, W, U, bias):
    n = h.shape[1]
    gates = x @ W + h @ U + bias
    i = sigmoid(gates[:, :n])
    f = sigmoid(gates[:, n : 2 * n])
    g = np.tanh(gates[:, 2 * n : 3 * n])
    o = sigmoid(gates[:, 3 * n :])
    c = f * c + i * g
    h = o * np.tanh(c)
    return h, c


def lstm(sequence, W, U, bias):
    batch, hidden = sequence.shape[1], U.shape[0]
    h = np.zeros((batch, hidden))
    c = np.zeros((batch, hidden))
    outputs = []
    for x in sequence:
        h, c = lstm_cell(x, h, c, W, U, bias)
        outputs.append(h)
    return np.stack(outputs), h, c
# %% cell
outputs, h, c = lstm(sequence, W, U, bias)
result = outputs, h, c
# %% jax
import jax
import jax.numpy as jnp


def sigmoid(x):
    return 1 / (1 + jnp.exp(-x))


def lstm_cell(x, h, c, W, U, bias):
    n = h.shape[1]
    gates = x @ W + h @ U + bias
    i = sigmoid(gates[:, :n])
    f = sigmoid(gates[:, n : 2 * n])
    g = jnp.tanh(gates[:, 2 * n : 3 * n])
    o = sigmoid(gates[:, 3 * n :])
    c = f * c + i * g
    h = o * jnp.tanh(c)
    return h, c


@jax.jit
def lstm(sequence, W, U, bias):
    def step(state, x):
        h, c = lstm_cell(x, *state, W, U, bias)
        return (h, c), h

    nothing = jnp.zeros((sequence.shape[1], U.shape[0]))
    (h, c), outputs = jax.lax.scan(step, (nothing, nothing), sequence)
    return outputs, h, c

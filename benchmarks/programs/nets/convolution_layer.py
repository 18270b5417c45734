# A convolution layer as one matrix product (im2col), ReLU, and pooling, in 32 bits.
# %% small
images, size, channels, filters = 8, 28, 3, 8
# %% large
images, size, channels, filters = 64, 48, 8, 16
# %% setup
import numpy as np

rng = np.random.default_rng(79)
x = rng.normal(size=(images, channels, size, size)).astype(np.float32)
w = (rng.normal(size=(filters, channels, 3, 3)) * 0.2).astype(np.float32)
b = rng.normal(size=filters).astype(np.float32)
# %% functions
def im2col(x, kh, kw, pad):
    n, c, h, width = x.shape
    padded = np.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    out_h = h + 2 * pad - kh + 1
    out_w = width + 2 * pad - kw + 1
    columns = np.zeros((n, c, kh, kw, out_h, out_w), dtype=x.dtype)
    for i in range(kh):
        for j in range(kw):
            columns[:, :, i, j, :, :] = padded[:, :, i : i + out_h, j : j + out_w]
    columns = columns.transpose(0, 4, 5, 1, 2, 3).reshape(n * out_h * out_w, -1)
    return columns, out_h, out_w


def convolution(x, w, b, pad=1):
    filters, _, kh, kw = w.shape
    columns, out_h, out_w = im2col(x, kh, kw, pad)
    out = columns @ w.reshape(filters, -1).T + b
    return out.reshape(x.shape[0], out_h, out_w, filters).transpose(0, 3, 1, 2)


def max_pool(x, size=2):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // size, size, w // size, size).max(axis=(3, 5))
# %% cell
features = np.maximum(convolution(x, w, b), 0)
pooled = max_pool(features)
result = features, pooled
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


def im2col(x, kh, kw, pad):
    n, c, h, width = x.shape
    padded = jnp.pad(x, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    out_h = h + 2 * pad - kh + 1
    out_w = width + 2 * pad - kw + 1
    windows = [
        padded[:, :, i : i + out_h, j : j + out_w] for i in range(kh) for j in range(kw)
    ]
    columns = jnp.stack(windows, axis=2).reshape(n, c, kh, kw, out_h, out_w)
    columns = columns.transpose(0, 4, 5, 1, 2, 3).reshape(n * out_h * out_w, -1)
    return columns, out_h, out_w


@partial(jax.jit, static_argnames="pad")
def convolution(x, w, b, pad=1):
    filters, _, kh, kw = w.shape
    columns, out_h, out_w = im2col(x, kh, kw, pad)
    out = columns @ w.reshape(filters, -1).T + b
    return out.reshape(x.shape[0], out_h, out_w, filters).transpose(0, 3, 1, 2)


@partial(jax.jit, static_argnames="size")
def max_pool(x, size=2):
    n, c, h, w = x.shape
    return x.reshape(n, c, h // size, size, w // size, size).max(axis=(3, 5))
# %% jax cell
features = jnp.maximum(convolution(x, w, b), 0)
pooled = max_pool(features)
result = features, pooled

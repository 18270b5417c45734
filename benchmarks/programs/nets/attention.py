# A block of causal self-attention with several heads, in 32 bits.
# %% small
length, width, heads = 96, 64, 4
# %% large
length, width, heads = 1_000, 128, 8
# %% setup
import numpy as np

rng = np.random.default_rng(77)
x = rng.normal(size=(length, width)).astype(np.float32)
Wq, Wk, Wv, Wo = (
    (rng.normal(size=(width, width)) / np.sqrt(width)).astype(np.float32) for _ in range(4)
)
# %% functions
def layer_norm(x, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / np.sqrt(variance + eps)


def split_heads(x, heads):
    length, width = x.shape
    return x.reshape(length, heads, width // heads).transpose(1, 0, 2)


def attention(x, Wq, Wk, Wv, Wo, heads):
    length, width = x.shape
    h = layer_norm(x)
    q = split_heads(h @ Wq, heads)
    k = split_heads(h @ Wk, heads)
    v = split_heads(h @ Wv, heads)
    scores = q @ k.transpose(0, 2, 1) / np.float32(np.sqrt(width // heads))
    mask = np.triu(np.ones((length, length), dtype=bool), k=1)
    scores = np.where(mask, np.float32(-1e9), scores)
    scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
    scores /= scores.sum(axis=-1, keepdims=True)
    mixed = (scores @ v).transpose(1, 0, 2).reshape(length, width)
    return x + mixed @ Wo, scores
# %% cell
y, scores = attention(x, Wq, Wk, Wv, Wo, heads)
result = y, scores
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


def layer_norm(x, eps=1e-5):
    mean = x.mean(axis=-1, keepdims=True)
    variance = x.var(axis=-1, keepdims=True)
    return (x - mean) / jnp.sqrt(variance + eps)


def split_heads(x, heads):
    length, width = x.shape
    return x.reshape(length, heads, width // heads).transpose(1, 0, 2)


@partial(jax.jit, static_argnums=5)
def attention(x, Wq, Wk, Wv, Wo, heads):
    length, width = x.shape
    h = layer_norm(x)
    q = split_heads(h @ Wq, heads)
    k = split_heads(h @ Wk, heads)
    v = split_heads(h @ Wv, heads)
    scores = q @ k.transpose(0, 2, 1) / jnp.float32(jnp.sqrt(width // heads))
    mask = jnp.triu(jnp.ones((length, length), dtype=bool), k=1)
    scores = jnp.where(mask, jnp.float32(-1e9), scores)
    scores = jnp.exp(scores - scores.max(axis=-1, keepdims=True))
    scores = scores / scores.sum(axis=-1, keepdims=True)
    mixed = (scores @ v).transpose(1, 0, 2).reshape(length, width)
    return x + mixed @ Wo, scores

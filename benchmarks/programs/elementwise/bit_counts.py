# Hashes of keys by shifts and xor, bits counted in parallel, distances of signatures.
# %% small
n = 60_000
# %% large
n = 1_000_000
# %% setup
import numpy as np

keys = np.random.default_rng(62).integers(0, 2**32, n, dtype=np.uint32)
# %% functions
def mix(x):
    x = x ^ (x >> 16)
    x = x * np.uint32(0x45D9F3B)
    x ^= x >> 15
    x *= np.uint32(0x27D4EB2D)
    return x ^ (x >> 16)


def count_bits(x):
    x = x - ((x >> 1) & 0x55555555)
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    return (x * np.uint32(0x01010101)) >> 24
# %% cell
hashes = mix(keys)
bits = count_bits(hashes)
distance = count_bits(hashes[1:] ^ hashes[:-1])
odd = int((bits % 2).sum())
result = hashes, bits, distance, odd, distance.max(), distance.mean()
# %% jax
import jax
import jax.numpy as jnp


@jax.jit
def mix(x):
    x = x ^ (x >> 16)
    x = x * jnp.uint32(0x45D9F3B)
    x = x ^ (x >> 15)
    x = x * jnp.uint32(0x27D4EB2D)
    return x ^ (x >> 16)


@jax.jit
def count_bits(x):
    x = x - ((x >> 1) & 0x55555555)
    x = (x & 0x33333333) + ((x >> 2) & 0x33333333)
    x = (x + (x >> 4)) & 0x0F0F0F0F
    return (x * jnp.uint32(0x01010101)) >> 24
# %% jax cell
hashes = mix(keys)
bits = count_bits(hashes)
distance = count_bits(hashes[1:] ^ hashes[:-1])
odd = int((bits % 2).sum(dtype=jnp.uint64))
result = hashes, bits, distance, odd, distance.max(), distance.mean(dtype=jnp.float64)

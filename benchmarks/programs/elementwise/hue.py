# A picture's colours as hue, saturation and value, with masks; the skin-coloured part.
# %% small
height, width = 120, 160
# %% large
height, width = 600, 800
# %% setup
import numpy as np

picture = np.random.default_rng(58).random((height, width, 3))
picture[: height // 8, : width // 4] = 0.5  # a grey corner
picture[-(height // 8) :, : width // 4] = 0.0  # a black one
# %% functions
def rgb_to_hsv(picture):
    r, g, b = picture[..., 0], picture[..., 1], picture[..., 2]
    high = np.maximum(np.maximum(r, g), b)
    low = np.minimum(np.minimum(r, g), b)
    span = high - low
    safe = np.where(span == 0, 1.0, span)
    hue = np.where(
        high == r,
        ((g - b) / safe) % 6,
        np.where(high == g, (b - r) / safe + 2, (r - g) / safe + 4),
    )
    hue = 60 * np.where(span == 0, 0.0, hue)
    saturation = np.where(high == 0, 0.0, span / np.where(high == 0, 1.0, high))
    return hue, saturation, high


def skin(hue, saturation, value):
    mask = (hue > 0) & (hue < 50) & (saturation > 0.2) & (saturation < 0.7) & (value > 0.35)
    return mask, mask.mean()
# %% cell
hue, saturation, value = rgb_to_hsv(picture)
mask, share = skin(hue, saturation, value)
grey = np.where(mask, value, 0.5 * value)
result = hue, saturation, value, mask, share, grey
# %% jax
import jax
import jax.numpy as jnp


@jax.jit
def rgb_to_hsv(picture):
    r, g, b = picture[..., 0], picture[..., 1], picture[..., 2]
    high = jnp.maximum(jnp.maximum(r, g), b)
    low = jnp.minimum(jnp.minimum(r, g), b)
    span = high - low
    safe = jnp.where(span == 0, 1.0, span)
    hue = jnp.where(
        high == r,
        ((g - b) / safe) % 6,
        jnp.where(high == g, (b - r) / safe + 2, (r - g) / safe + 4),
    )
    hue = 60 * jnp.where(span == 0, 0.0, hue)
    saturation = jnp.where(high == 0, 0.0, span / jnp.where(high == 0, 1.0, high))
    return hue, saturation, high


@jax.jit
def skin(hue, saturation, value):
    mask = (hue > 0) & (hue < 50) & (saturation > 0.2) & (saturation < 0.7) & (value > 0.35)
    return mask, mask.mean(dtype=jnp.float64)
# %% jax cell
hue, saturation, value = rgb_to_hsv(picture)
mask, share = skin(hue, saturation, value)
grey = jnp.where(mask, value, 0.5 * value)
result = hue, saturation, value, mask, share, grey

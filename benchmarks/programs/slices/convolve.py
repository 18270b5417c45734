# An image blurred with a Gaussian, and its edges by Sobel's kernels, by shifted windows.
# %% small
height, width = 96, 128
# %% large
height, width = 600, 800
# %% setup
import numpy as np

image = np.random.default_rng(37).random((height, width))
# %% functions
def convolve(image, kernel):
    rows, columns = kernel.shape
    height = image.shape[0] - rows + 1
    width = image.shape[1] - columns + 1
    out = np.zeros((height, width))
    part = np.empty((height, width))
    for i in range(rows):
        for j in range(columns):
            np.multiply(image[i : i + height, j : j + width], kernel[i, j], out=part)
            out += part
    return out


def gaussian(size, sigma):
    axis = np.arange(size) - (size - 1) / 2
    bell = np.exp(-0.5 * (axis / sigma) ** 2)
    kernel = np.outer(bell, bell)
    return kernel / kernel.sum()


def edges(image):
    sobel = np.array([[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]])
    across = convolve(image, sobel)
    down = convolve(image, sobel.T)
    return np.sqrt(across**2 + down**2)
# %% cell
blurred = convolve(image, gaussian(5, 1.2))
result = blurred, edges(blurred)
# %% jax
import jax
import jax.numpy as jnp


@jax.jit
def convolve(image, kernel):
    rows, columns = kernel.shape
    height = image.shape[0] - rows + 1
    width = image.shape[1] - columns + 1
    out = jnp.zeros((height, width))
    for i in range(rows):
        for j in range(columns):
            out = out + image[i : i + height, j : j + width] * kernel[i, j]
    return out


def gaussian(size, sigma):
    axis = jnp.arange(size) - (size - 1) / 2
    bell = jnp.exp(-0.5 * (axis / sigma) ** 2)
    kernel = jnp.outer(bell, bell)
    return kernel / kernel.sum()


@jax.jit
def edges(image):
    sobel = jnp.array([[1.0, 0.0, -1.0], [2.0, 0.0, -2.0], [1.0, 0.0, -1.0]])
    across = convolve(image, sobel)
    down = convolve(image, sobel.T)
    return jnp.sqrt(across**2 + down**2)

# Conway's game of life within walls: neighbours by eight shifted windows of a padded board.
# %% small
size, generations = 60, 30
# %% large
size, generations = 700, 80
# %% setup
import numpy as np

board = np.random.default_rng(39).random((size, size)) < 0.3
# %% functions
def neighbours(board):
    padded = np.zeros((board.shape[0] + 2, board.shape[1] + 2), dtype=np.uint8)
    padded[1:-1, 1:-1] = board
    return (
        padded[:-2, :-2] + padded[:-2, 1:-1] + padded[:-2, 2:]
        + padded[1:-1, :-2] + padded[1:-1, 2:]
        + padded[2:, :-2] + padded[2:, 1:-1] + padded[2:, 2:]
    )


def generation(board):
    count = neighbours(board)
    return (count == 3) | (board & (count == 2))


def play(board, generations):
    alive = np.zeros(generations, dtype=np.int64)
    for g in range(generations):
        board = generation(board)
        alive[g] = np.count_nonzero(board)
    return board, alive
# %% cell
board, alive = play(board, generations)
result = board, alive
# %% jax
import jax
import jax.numpy as jnp
from functools import partial


def neighbours(board):
    padded = jnp.pad(board.astype(jnp.uint8), 1)
    return (
        padded[:-2, :-2] + padded[:-2, 1:-1] + padded[:-2, 2:]
        + padded[1:-1, :-2] + padded[1:-1, 2:]
        + padded[2:, :-2] + padded[2:, 1:-1] + padded[2:, 2:]
    )


def generation(board):
    count = neighbours(board)
    return (count == 3) | (board & (count == 2))


@partial(jax.jit, static_argnums=1)
def play(board, generations):
    def step(board, _):
        board = generation(board)
        return board, jnp.count_nonzero(board)

    return jax.lax.scan(step, board, None, length=generations)

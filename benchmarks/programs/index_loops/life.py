# Conway's game of life on a torus, cell by cell.
# %% small
size, generations = 14, 2
# %% large
size, generations = 48, 10
# %% setup
import numpy as np

board = (np.random.default_rng(17).random((size, size)) < 0.35).astype(np.int8)
# %% functions
def count_neighbours(board, row, column):
    rows, columns = board.shape
    alive = 0
    for dr in (-1, 0, 1):
        for dc in (-1, 0, 1):
            if dr == 0 and dc == 0:
                continue
            alive += board[(row + dr) % rows, (column + dc) % columns]
    return alive


def generation(board):
    rows, columns = board.shape
    new = np.zeros_like(board)
    for row in range(rows):
        for column in range(columns):
            alive = count_neighbours(board, row, column)
            if board[row, column] == 1 and (alive == 2 or alive == 3):
                new[row, column] = 1
            elif board[row, column] == 0 and alive == 3:
                new[row, column] = 1
    return new
# %% cell
population = []
for _ in range(generations):
    board = generation(board)
    population.append(int(board.sum()))
result = board, population

# A tour through all towns that always goes on to the nearest one left.
# %% small
n = 40
# %% large
n = 300
# %% setup
import numpy as np

towns = np.random.default_rng(21).uniform(0.0, 100.0, (n, 2))
# %% functions
def nearest_tour(towns):
    n = towns.shape[0]
    visited = np.zeros(n, dtype=np.bool_)
    tour = np.zeros(n, dtype=np.int64)
    length = 0.0
    here = 0
    visited[0] = True
    for step in range(1, n):
        nearest = -1
        best = np.inf
        for other in range(n):
            if visited[other]:
                continue
            dx = towns[other, 0] - towns[here, 0]
            dy = towns[other, 1] - towns[here, 1]
            squared = dx * dx + dy * dy
            if squared < best:
                best = squared
                nearest = other
        visited[nearest] = True
        tour[step] = nearest
        length += np.sqrt(best)
        here = nearest
    return tour, length
# %% cell
tour, length = nearest_tour(towns)
result = tour, length

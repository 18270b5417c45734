# All shortest ways in a graph, with three loops, and one of them followed.
# %% small
n = 16
# %% large
n = 72
# %% setup
import numpy as np

rng = np.random.default_rng(19)
lengths = rng.uniform(1.0, 10.0, (n, n))
lengths[rng.random((n, n)) < 0.7] = np.inf
np.fill_diagonal(lengths, 0.0)
for town in range(n):
    lengths[town, (town + 1) % n] = 12.0
# %% functions
def shortest_ways(lengths):
    n = lengths.shape[0]
    distance = lengths.copy()
    following = np.full((n, n), -1)
    for i in range(n):
        for j in range(n):
            if distance[i, j] < np.inf:
                following[i, j] = j
    for k in range(n):
        for i in range(n):
            for j in range(n):
                through = distance[i, k] + distance[k, j]
                if through < distance[i, j]:
                    distance[i, j] = through
                    following[i, j] = following[i, k]
    return distance, following


def way(following, start, end):
    towns = [start]
    while start != end:
        start = following[start, end]
        towns.append(start)
    return np.array(towns)
# %% cell
distance, following = shortest_ways(lengths)
towns = way(following, 0, n // 2)
result = distance, following, towns

# 0/1 knapsack by dynamic programming, with the items that were taken.
# %% small
items, capacity = 20, 200
# %% large
items, capacity = 120, 1500
# %% setup
import numpy as np

rng = np.random.default_rng(12)
weights = rng.integers(3, 40, items)
values = rng.integers(10, 100, items)
# %% functions
def knapsack(weights, values, capacity):
    n = len(weights)
    best = np.zeros((n + 1, capacity + 1), dtype=np.int64)
    for i in range(1, n + 1):
        w = weights[i - 1]
        v = values[i - 1]
        for c in range(capacity + 1):
            best[i, c] = best[i - 1, c]
            if w <= c and best[i - 1, c - w] + v > best[i, c]:
                best[i, c] = best[i - 1, c - w] + v
    taken = np.zeros(n, dtype=np.bool_)
    c = capacity
    for i in range(n, 0, -1):
        if best[i, c] != best[i - 1, c]:
            taken[i - 1] = True
            c -= weights[i - 1]
    return best[n, capacity], taken
# %% cell
total, taken = knapsack(weights, values, capacity)
result = total, taken

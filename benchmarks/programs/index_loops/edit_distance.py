# Levenshtein distance of two words, by the full table.
# %% small
n = 60
# %% large
n = 420
# %% setup
import numpy as np

rng = np.random.default_rng(11)
first = rng.integers(0, 4, n)
second = rng.integers(0, 4, n + n // 10)
# %% functions
def edit_distance(a, b):
    m, n = len(a), len(b)
    table = np.zeros((m + 1, n + 1), dtype=np.int64)
    for i in range(m + 1):
        table[i, 0] = i
    for j in range(n + 1):
        table[0, j] = j
    for i in range(1, m + 1):
        for j in range(1, n + 1):
            cost = 0 if a[i - 1] == b[j - 1] else 1
            table[i, j] = min(
                table[i - 1, j] + 1,
                table[i, j - 1] + 1,
                table[i - 1, j - 1] + cost,
            )
    return table[m, n], table
# %% cell
distance, table = edit_distance(first, second)
result = distance, table

# Insertion sort in place, counting the moves; then duplicates are dropped.
# %% small
n = 120
# %% large
n = 900
# %% setup
import numpy as np

numbers = np.random.default_rng(18).integers(0, 5 * n, n)
# %% functions
def insertion_sort(a):
    moves = 0
    for i in range(1, len(a)):
        key = a[i]
        j = i - 1
        while j >= 0 and a[j] > key:
            a[j + 1] = a[j]
            j -= 1
            moves += 1
        a[j + 1] = key
    return moves


def unique_sorted(a):
    out = np.empty_like(a)
    out[0] = a[0]
    count = 1
    for i in range(1, len(a)):
        if a[i] != a[i - 1]:
            out[count] = a[i]
            count += 1
    return out[:count]
# %% cell
moves = insertion_sort(numbers)
unique = unique_sorted(numbers)
result = numbers, moves, unique

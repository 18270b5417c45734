# The primes below n, crossed out one by one.
# %% small
n = 5_000
# %% large
n = 500_000
# %% setup
import numpy as np
# %% functions
def primes_below(n):
    is_prime = np.ones(n, dtype=np.bool_)
    is_prime[0] = False
    is_prime[1] = False
    p = 2
    while p * p < n:
        if is_prime[p]:
            k = p * p
            while k < n:
                is_prime[k] = False
                k += p
        p += 1
    count = 0
    for k in range(n):
        if is_prime[k]:
            count += 1
    primes = np.empty(count, dtype=np.int64)
    at = 0
    for k in range(n):
        if is_prime[k]:
            primes[at] = k
            at += 1
    return primes


def largest_gap(primes):
    widest, where = 0, 0
    for i in range(1, len(primes)):
        gap = primes[i] - primes[i - 1]
        if gap > widest:
            widest = gap
            where = primes[i - 1]
    return widest, where
# %% cell
primes = primes_below(n)
gap, start = largest_gap(primes)
result = primes, gap, start

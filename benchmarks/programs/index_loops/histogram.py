# A histogram counted by hand, its cumulated form, and the median read from it.
# %% small
n = 4_000
# %% large
n = 300_000
# %% setup
import numpy as np

samples = np.random.default_rng(16).normal(3.0, 2.0, n)
# %% functions
def histogram(samples, low, high, bins):
    counts = np.zeros(bins, dtype=np.int64)
    outside = 0
    width = (high - low) / bins
    for x in samples:
        if x < low or x >= high:
            outside += 1
            continue
        counts[int((x - low) / width)] += 1
    return counts, outside


def cumulate(counts):
    total = np.zeros(len(counts) + 1)
    for i in range(len(counts)):
        total[i + 1] = total[i] + counts[i]
    return total / total[-1]


def quantile(cumulated, low, high, q):
    bins = len(cumulated) - 1
    width = (high - low) / bins
    for i in range(bins):
        if cumulated[i + 1] >= q:
            share = (q - cumulated[i]) / (cumulated[i + 1] - cumulated[i])
            return low + (i + share) * width
    return high
# %% cell
counts, outside = histogram(samples, -4.0, 10.0, 64)
cumulated = cumulate(counts)
median = quantile(cumulated, -4.0, 10.0, 0.5)
result = counts, outside, cumulated, median

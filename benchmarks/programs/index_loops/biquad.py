# A second-order low-pass filter over a signal of 32-bit samples, and its envelope.
# %% small
n = 1_500
# %% large
n = 60_000
# %% setup
import math

import numpy as np

times = np.arange(n) / 8000.0
noise = np.random.default_rng(22).normal(0.0, 0.3, n)
signal = (np.sin(2 * np.pi * 110.0 * times) + noise).astype(np.float32)
# %% functions
def low_pass(cutoff, rate, q):
    w = 2.0 * math.pi * cutoff / rate
    alpha = math.sin(w) / (2.0 * q)
    a0 = 1.0 + alpha
    b1 = (1.0 - math.cos(w)) / a0
    return b1 / 2, b1, b1 / 2, -2.0 * math.cos(w) / a0, (1.0 - alpha) / a0


def biquad(x, coefficients):
    b0, b1, b2, a1, a2 = coefficients
    y = np.zeros_like(x)
    x1 = x2 = y1 = y2 = 0.0
    for i in range(len(x)):
        now = float(x[i])
        out = b0 * now + b1 * x1 + b2 * x2 - a1 * y1 - a2 * y2
        x2, x1 = x1, now
        y2, y1 = y1, out
        y[i] = out
    return y


def envelope(x, release):
    level = 0.0
    out = np.empty(len(x), dtype=np.float32)
    for i, sample in enumerate(x):
        level = max(abs(float(sample)), level * release)
        out[i] = level
    return out
# %% cell
smooth = biquad(signal, low_pass(200.0, 8000.0, 0.7071))
loudness = envelope(smooth, 0.995)
result = smooth, loudness

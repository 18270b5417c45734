# Finance, physics, signals, images.
# floats: 1e-12

# %% setup
import math

import numpy as np

# %% black scholes
S = np.linspace(80, 120, 9)
K, r, sigma, T = 100.0, 0.02, 0.3, 1.5
d1 = (np.log(S / K) + (r + sigma**2 / 2) * T) / (sigma * np.sqrt(T))
d2 = d1 - sigma * np.sqrt(T)
def normal(x):
    return 0.5 * (1 + np.tanh(0.7978845608 * (x + 0.044715 * x**3)))
call = S * normal(d1) - K * np.exp(-r * T) * normal(d2)

# %% binomial tree
S, K, u, d, q, n = 100.0, 100.0, 1.1, 0.9, 0.55, 6
prices = S * u ** np.arange(n, -1, -1) * d ** np.arange(0, n + 1)
value = np.maximum(prices - K, 0)
for _ in range(n):
    value = q * value[:-1] + (1 - q) * value[1:]
price = value[0]

# %% compound interest
rates = np.array([0.01, 0.03, 0.05])
years = np.arange(1, 6)
worth = 1000 * (1 + rates[:, None]) ** years

# %% loan table
balance, rate, payment = 1000.0, 0.01, 100.0
table = []
month = 0
while balance > 0 and month < 24:
    interest = balance * rate
    paid = min(payment, balance + interest)
    balance = balance + interest - paid
    month += 1
    table.append((month, round(paid, 2), round(balance, 2)))

# %% portfolio
weights = np.array([0.5, 0.3, 0.2])
returns = np.array([[0.01, 0.02, -0.01], [0.00, 0.01, 0.03], [-0.02, 0.00, 0.01]])
mean = returns.mean(axis=0)
covariance = np.cov(returns.T)
risk = np.sqrt(weights @ covariance @ weights)
gain = weights @ mean

# %% drawdown
prices = np.array([100.0, 110, 105, 120, 90, 95, 130])
peak = np.maximum.accumulate(prices)
worst = ((prices - peak) / peak).min()

# %% blackbody
wavelength = np.linspace(400e-9, 700e-9, 6)
h, c, k, T = 6.626e-34, 2.998e8, 1.381e-23, 5800
radiance = 2 * h * c**2 / wavelength**5 / (np.exp(h * c / (wavelength * k * T)) - 1)
strongest = wavelength[radiance.argmax()]

# %% lorentz factor
speed = np.array([0.0, 0.1, 0.5, 0.9, 0.99])
gamma = 1 / np.sqrt(1 - speed**2)
dilated = 10 * gamma

# %% projectile
g, v0 = 9.81, 20.0
angles = np.radians([15, 30, 45, 60, 75])
reach = v0**2 * np.sin(2 * angles) / g
best = np.degrees(angles[reach.argmax()])

# %% ideal gas mixture
n = np.array([1.0, 2.0, 0.5])
T, V = 300.0, 0.05
pressure = n * 8.314 * T / V
total = pressure.sum()
fraction = pressure / total

# %% ising sweep
rng = np.random.default_rng(8)
spins = rng.choice([-1, 1], size=(4, 4))
near = (
    np.roll(spins, 1, 0) + np.roll(spins, -1, 0) + np.roll(spins, 1, 1) + np.roll(spins, -1, 1)
)
energy = -(spins * near).sum() / 2
spins = np.where(spins * near < 0, -spins, spins)

# %% diffusion tensor
D = np.diag([2.0, 1.0, 0.5])
gradient = np.array([[1.0, 0, 0], [0, 1, 1]]) / np.array([[1.0], [math.sqrt(2)]])
signal = np.exp(-np.einsum("ni,ij,nj->n", gradient, D, gradient))

# %% quaternion product
def product(a, b):
    w1, x1, y1, z1 = a
    w2, x2, y2, z2 = b
    return np.array(
        [
            w1 * w2 - x1 * x2 - y1 * y2 - z1 * z2,
            w1 * x2 + x1 * w2 + y1 * z2 - z1 * y2,
            w1 * y2 - x1 * z2 + y1 * w2 + z1 * x2,
            w1 * z2 + x1 * y2 - y1 * x2 + z1 * w2,
        ]
    )
p = product(np.array([1.0, 2, 3, 4]), np.array([0.5, -1, 0, 2]))

# %% cross product by hand
a = np.array([1.0, 2, 3])
b = np.array([4.0, 5, 6])
c = a[[1, 2, 0]] * b[[2, 0, 1]] - a[[2, 0, 1]] * b[[1, 2, 0]]
builtin = np.cross(a, b)

# %% decibels
amplitude = np.array([1.0, 0.5, 0.1, 2.0])
level = 20 * np.log10(amplitude)
back = 10 ** (level / 20)

# %% hann window
n = np.arange(16)
window = 0.5 - 0.5 * np.cos(2 * np.pi * n / 15)
energy = (window**2).sum()

# %% low pass filter
x = np.sin(np.arange(30) * 0.3) + 0.2 * np.sin(np.arange(30) * 2.5)
y = np.zeros_like(x)
for i in range(1, len(x)):
    y[i] = y[i - 1] + 0.2 * (x[i] - y[i - 1])

# %% autocorrelation
x = np.sin(np.arange(24) * 0.5)
lags = np.array([(x[: len(x) - k] * x[k:]).sum() for k in range(6)])
normal = lags / lags[0]

# %% convolve
smooth = np.convolve(np.arange(8.0), np.ones(3) / 3, mode="same")
full = np.convolve([1.0, 2, 3], [0, 1, 0.5])

# %% fft round trip | floats 1e-11
x = np.cos(np.arange(16) * 0.4)
spectrum = np.fft.rfft(x)
back = np.fft.irfft(spectrum)

# %% grey image
image = np.arange(48, dtype=np.uint8).reshape(4, 4, 3)
grey = image @ np.array([0.299, 0.587, 0.114])
rounded = np.clip(np.round(grey), 0, 255).astype(np.uint8)

# %% gamma correction
image = np.linspace(0, 1, 12).reshape(3, 4)
bright = image ** (1 / 2.2)
bytes_ = (bright * 255).astype(np.uint8)

# %% sobel edges
image = np.outer(np.arange(5.0), np.ones(6)) ** 2
gx = image[:-2, 2:] + 2 * image[1:-1, 2:] + image[2:, 2:]
gx -= image[:-2, :-2] + 2 * image[1:-1, :-2] + image[2:, :-2]
gy = image[2:, :-2] + 2 * image[2:, 1:-1] + image[2:, 2:]
gy -= image[:-2, :-2] + 2 * image[:-2, 1:-1] + image[:-2, 2:]
edge = np.hypot(gx, gy)

# %% padding
image = np.arange(6.0).reshape(2, 3)
zeros = np.pad(image, 1)
edges = np.pad(image, ((1, 0), (0, 2)), mode="edge")

# %% pooling by reshape
image = np.arange(32.0).reshape(4, 8)
blocks = image.reshape(2, 2, 4, 2)
average = blocks.mean(axis=(1, 3))
highest = blocks.max(axis=(1, 3))

# %% threshold and count
image = (np.arange(30) * 37 % 101).reshape(5, 6)
bright = image > 50
share = bright.mean()
rows = bright.any(axis=1)

# %% great circle
lat = np.radians(np.array([48.9, 40.7]))
lon = np.radians(np.array([2.4, -74.0]))
a = np.sin((lat[1] - lat[0]) / 2) ** 2
a += np.cos(lat[0]) * np.cos(lat[1]) * np.sin((lon[1] - lon[0]) / 2) ** 2
distance = 2 * 6371 * np.arcsin(np.sqrt(a))

# %% markov chain
P = np.array([[0.9, 0.1, 0.0], [0.2, 0.7, 0.1], [0.0, 0.3, 0.7]])
state = np.array([1.0, 0, 0])
history = [state]
for _ in range(10):
    state = state @ P
    history.append(state)
history = np.stack(history)
settled = np.allclose(history[-1], history[-2], atol=1e-2)

# %% page rank
links = np.array([[0, 1, 1], [1, 0, 0], [1, 1, 0]], dtype=float)
M = links / links.sum(axis=0)
rank = np.ones(3) / 3
for _ in range(15):
    rank = 0.85 * M @ rank + 0.05

# %% kalman filter
estimate, variance = 0.0, 1.0
estimates = []
for measured in [1.1, 0.9, 1.2, 1.0]:
    gain = variance / (variance + 0.5)
    estimate += gain * (measured - estimate)
    variance = (1 - gain) * variance + 0.01
    estimates.append(estimate)

# %% julian day
year, month, day = 2024, 3, 15
a = (14 - month) // 12
y = year + 4800 - a
m = month + 12 * a - 3
number = day + (153 * m + 2) // 5 + 365 * y + y // 4 - y // 100 + y // 400 - 32045

# What people write of a day: images, markets, motions, words, fits, tables.
# floats: 1e-12

# %% setup
import math

import numpy as np

# %% histogram equalization
rng = np.random.default_rng(0)
image = rng.integers(0, 64, (12, 16))
counts = np.array([(image == level).sum() for level in range(64)])
total = counts.cumsum()
scaled = (total - total[0]) * 63 // (image.size - total[0])
flat = scaled[image]
brightest = flat.max()

# %% unsharp mask
image = np.random.default_rng(1).random((10, 10))
padded = np.pad(image, 1, mode="edge")
blurred = sum(
    padded[i : i + 10, j : j + 10] for i in range(3) for j in range(3)
) / 9
sharp = np.clip(image + 1.5 * (image - blurred), 0, 1)

# %% median filter
image = np.random.default_rng(2).random((8, 9))
padded = np.pad(image, 1, mode="reflect")
stack = np.stack([padded[i : i + 8, j : j + 9] for i in range(3) for j in range(3)])
clean = np.median(stack, axis=0)
changed = (np.abs(clean - image) > 0.2).mean()

# %% dither
image = np.linspace(0, 1, 24).reshape(4, 6)
work = image.copy()
for y in range(4):
    for x in range(6):
        old = work[y, x]
        new = np.round(old)
        work[y, x] = new
        error = old - new
        if x + 1 < 6:
            work[y, x + 1] += error * 7 / 16
        if y + 1 < 4:
            work[y + 1, x] += error * 5 / 16

# %% colour to grey and back
rgb = np.random.default_rng(3).integers(0, 256, (5, 6, 3), dtype=np.uint8)
grey = (rgb @ np.array([0.299, 0.587, 0.114])).astype(np.uint8)
again = np.repeat(grey[:, :, None], 3, axis=2)
inverted = 255 - again
top = inverted[:2, ::-1]

# %% moving averages cross
prices = 100 + np.cos(np.arange(40) / 4) * 5 + np.arange(40) * 0.1
fast = np.array([prices[max(0, i - 3) : i + 1].mean() for i in range(40)])
slow = np.array([prices[max(0, i - 9) : i + 1].mean() for i in range(40)])
above = fast > slow
signal = np.diff(above.astype(int))
buys = (signal == 1).sum()

# %% returns and risk
prices = np.array([100.0, 102, 101, 105, 107, 103, 108, 110])
returns = np.diff(prices) / prices[:-1]
log_returns = np.log(prices[1:] / prices[:-1])
sharpe = returns.mean() / returns.std(ddof=1) * np.sqrt(252)
at_risk, expected = np.percentile(returns, [5, 50])
summary = {"mean": returns.mean(), "sharpe": sharpe, "risk": at_risk}

# %% bollinger bands
prices = 50 + np.sin(np.arange(30) / 3)
windows = np.lib.stride_tricks.sliding_window_view(prices, 5)
middle = windows.mean(axis=1)
width = 2 * windows.std(axis=1)
upper, lower = middle + width, middle - width
outside = ((prices[4:] > upper) | (prices[4:] < lower)).sum()

# %% bond price
coupons = np.full(10, 4.0)
coupons[-1] += 100
years = np.arange(1, 11)
rates = np.array([0.01, 0.03, 0.05])
price = (coupons / (1 + rates[:, None]) ** years).sum(axis=1)
duration = (years * coupons / (1 + rates[:, None]) ** years).sum(axis=1) / price

# %% option by simulation
rng = np.random.default_rng(4)
draws = rng.standard_normal((200, 12))
steps = (0.03 - 0.5 * 0.2**2) / 12 + 0.2 * np.sqrt(1 / 12) * draws
paths = 100 * np.exp(np.cumsum(steps, axis=1))
payoff = np.maximum(paths.mean(axis=1) - 100, 0)
price = np.exp(-0.03) * payoff.mean()
print(f"{price:.6f}")

# %% verlet spring
x, v, dt = np.array([1.0, 0.0, -0.5]), np.zeros(3), 0.05
trace = []
for _ in range(20):
    a = -4.0 * x
    x = x + v * dt + 0.5 * a * dt**2
    v = v + 0.5 * (a - 4.0 * x) * dt
    trace.append(x.copy())
trace = np.array(trace)
energy = 0.5 * (v**2).sum() + 2.0 * (x**2).sum()

# %% runge kutta by a helper
def lorenz(state, sigma=10.0, rho=28.0, beta=8 / 3):
    x, y, z = state
    return np.array([sigma * (y - x), x * (rho - z) - y, x * y - beta * z])

def step(f, y, h):
    k1 = f(y)
    k2 = f(y + h / 2 * k1)
    k3 = f(y + h / 2 * k2)
    k4 = f(y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)

state = np.array([1.0, 1.0, 1.0])
path = np.empty((15, 3))
for i in range(15):
    path[i] = state
    state = step(lorenz, state, 0.01)

# %% waves on a string
n = 30
u = np.exp(-(((np.linspace(0, 1, n) - 0.3) / 0.1) ** 2))
before = u.copy()
for _ in range(15):
    after = np.zeros_like(u)
    after[1:-1] = 2 * u[1:-1] - before[1:-1] + 0.25 * (u[2:] - 2 * u[1:-1] + u[:-2])
    before, u = u, after
highest = u.max()

# %% rigid rotation
angle = np.deg2rad(30)
axis = np.array([1.0, 2.0, 2.0]) / 3
points = np.arange(12.0).reshape(4, 3)
turned = (
    points * np.cos(angle)
    + np.cross(axis, points) * np.sin(angle)
    + axis * (points @ axis)[:, None] * (1 - np.cos(angle))
)
kept = np.allclose((turned**2).sum(axis=1), (points**2).sum(axis=1))

# %% julia set
y, x = np.mgrid[-1.2:1.2:12j, -1.6:1.6:16j]
z = x + 1j * y
count = np.zeros(z.shape, dtype=int)
for _ in range(12):
    inside = np.abs(z) < 2
    z = np.where(inside, z * z + (-0.8 + 0.156j), z)
    count += inside

# %% phasors
impedance = np.array([50 + 0j, 30 + 40j, 10 - 20j])
parallel = 1 / (1 / impedance).sum()
current = 230 / impedance
power = 230 * current.conj()
factor = power.real / np.abs(power)
degrees = np.angle(current, deg=True)

# %% denoise by fft
t = np.arange(64) / 64
rng = np.random.default_rng(5)
signal = np.sin(2 * np.pi * 5 * t) + 0.3 * rng.standard_normal(64)
spectrum = np.fft.rfft(signal)
spectrum[np.abs(spectrum) < 10] = 0
clean = np.fft.irfft(spectrum, 64)
left = np.abs(clean - np.sin(2 * np.pi * 5 * t)).mean()

# %% word counts | data-dependent shape
text = "the cat and the dog and the bird"
words, counts = np.unique(text.split(), return_counts=True)
order = np.argsort(-counts, kind="stable")
ranking = list(zip(words[order].tolist(), counts[order].tolist()))

# %% letters
text = "hybrid front ends are fun"
codes = np.array([ord(c) - 97 for c in text if c.isalpha()])
counts = np.zeros(26, dtype=int)
np.add.at(counts, codes, 1)
frequency = counts / counts.sum()
entropy = -(frequency * np.log2(np.where(frequency > 0, frequency, 1))).sum()

# %% tf-idf
counts = np.array([[2, 1, 0, 0], [0, 1, 3, 0], [1, 0, 0, 4]])
tf = counts / counts.sum(axis=1, keepdims=True)
idf = np.log(len(counts) / (counts > 0).sum(axis=0))
scores = tf * idf
unit = scores / np.sqrt((scores**2).sum(axis=1, keepdims=True))
similarity = unit @ unit.T
best = scores.argmax(axis=1)

# %% edit distance
a, b = "kitten", "sitting"
d = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
d[:, 0] = np.arange(len(a) + 1)
d[0, :] = np.arange(len(b) + 1)
for i in range(1, len(a) + 1):
    for j in range(1, len(b) + 1):
        cost = 0 if a[i - 1] == b[j - 1] else 1
        d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + cost)
distance = d[-1, -1]

# %% knapsack
weights, values = [3, 4, 5, 2], [4, 5, 6, 3]
best = np.zeros(11, dtype=int)
for weight, value in zip(weights, values):
    shifted = np.concatenate([np.zeros(weight, dtype=int), best[:-weight] + value])
    best = np.maximum(best, np.where(np.arange(11) >= weight, shifted, 0))
most = best[-1]

# %% components by svd | floats 1e-10
rng = np.random.default_rng(6)
data = rng.normal(size=(20, 4)) @ np.diag([3.0, 2.0, 1.0, 0.5])
centred = data - data.mean(axis=0)
u, s, vt = np.linalg.svd(centred, full_matrices=False)
explained = s**2 / (s**2).sum()
scores = np.abs(centred @ vt[:2].T)

# %% line fit | floats 1e-10
x = np.linspace(0, 10, 20)
y = 3 * x + 2 + np.sin(x)
design = np.column_stack([x, np.ones_like(x)])
solution, residual, rank, _ = np.linalg.lstsq(design, y, rcond=None)
slope, offset = solution
r2 = 1 - residual[0] / ((y - y.mean()) ** 2).sum()

# %% outliers clipped
values = np.array([1.0, 2, 2.5, 3, 3.5, 4, 50, -30])
low, high = np.quantile(values, [0.25, 0.75])
spread = high - low
clipped = np.clip(values, low - 1.5 * spread, high + 1.5 * spread)
outliers = (values != clipped).sum()
robust = (values - np.median(values)) / (1.4826 * np.median(np.abs(values - np.median(values))))

# %% shoelace
points = np.array([[0.0, 0], [4, 0], [4, 3], [2, 5], [0, 3]])
x, y = points.T
area = 0.5 * np.abs(np.dot(x, np.roll(y, 1)) - np.dot(y, np.roll(x, 1)))
lengths = np.hypot(*(np.roll(points, -1, axis=0) - points).T)
inside = ((x > 1) & (y > 1)).any()

# %% leaderboard
names = ["ann", "bob", "cem", "dia"]
scores = np.array([[3, 5, 1], [4, 4, 4], [5, 0, 5], [2, 2, 2]])
total = scores.sum(axis=1)
order = np.argsort(-total, kind="stable")
for place, i in enumerate(order, 1):
    print(place, names[i], total[i])

# %% softmax regression by batches
rng = np.random.default_rng(7)
x, labels = rng.normal(size=(24, 5)), rng.integers(0, 3, 24)
weights = np.zeros((5, 3))
for epoch in range(2):
    order = rng.permutation(24)
    for start in range(0, 24, 8):
        batch = order[start : start + 8]
        logits = x[batch] @ weights
        logits -= logits.max(axis=1, keepdims=True)
        p = np.exp(logits)
        p /= p.sum(axis=1, keepdims=True)
        p[np.arange(8), labels[batch]] -= 1
        weights -= 0.1 * x[batch].T @ p / 8
accuracy = ((x @ weights).argmax(axis=1) == labels).mean()

# %% training stops early
rng = np.random.default_rng(8)
x = rng.normal(size=(30, 3))
y = x @ np.array([1.0, -2.0, 0.5])
w, losses = np.zeros(3), []
for _ in range(50):
    error = x @ w - y
    losses.append((error**2).mean())
    if losses[-1] < 0.05:
        break
    w -= 0.1 * x.T @ error / len(x)

# %% cross validation
rng = np.random.default_rng(9)
x = rng.normal(size=(20, 2))
y = x @ np.array([2.0, -1.0]) + 0.1 * rng.normal(size=20)
folds = np.array_split(rng.permutation(20), 4)
errors = []
for k, test in enumerate(folds):
    train = np.concatenate([f for i, f in enumerate(folds) if i != k])
    gram = x[train].T @ x[train] + 0.1 * np.eye(2)
    w = np.linalg.solve(gram, x[train].T @ y[train])
    errors.append(np.mean((x[test] @ w - y[test]) ** 2))
score = np.mean(errors)

# %% forward algorithm
start, moves = np.array([0.6, 0.4]), np.array([[0.7, 0.3], [0.4, 0.6]])
emits = np.array([[0.5, 0.4, 0.1], [0.1, 0.3, 0.6]])
alpha = start * emits[:, 0]
likelihood = 0.0
for seen in [0, 1, 2, 1, 0]:
    alpha = (alpha @ moves) * emits[:, seen]
    scale = alpha.sum()
    alpha /= scale
    likelihood += np.log(scale)

# %% kalman with matrices
F = np.array([[1.0, 1.0], [0.0, 1.0]])
H = np.array([[1.0, 0.0]])
Q, R = 0.01 * np.eye(2), np.array([[0.5]])
x, P = np.zeros((2, 1)), np.eye(2)
track = []
for z in [1.1, 2.0, 2.9, 4.2]:
    x, P = F @ x, F @ P @ F.T + Q
    S = H @ P @ H.T + R
    K = P @ H.T / S
    x = x + K @ (np.array([[z]]) - H @ x)
    P = (np.eye(2) - K @ H) @ P
    track.append(x[0, 0])

# %% rule 30
cells = np.zeros((8, 17), dtype=np.uint8)
cells[0, 8] = 1
for i in range(1, 8):
    left, right = np.roll(cells[i - 1], 1), np.roll(cells[i - 1], -1)
    cells[i] = left ^ (cells[i - 1] | right)
for row in cells:
    print("".join(".#"[c] for c in row))

# %% monthly table
days = np.arange(60)
sales = 100 + 10 * np.sin(days / 5) + days
month = days // 30
totals = np.array([sales[month == m].sum() for m in range(2)])
mean = np.array([sales[month == m].mean() for m in range(2)])
best = days[sales.argmax()]
report = "\n".join(f"{m}: {t:8.2f} {a:6.2f}" for m, (t, a) in enumerate(zip(totals, mean)))

# %% zero crossings
wave = np.sin(np.linspace(0, 20, 100)) + 0.1
signs = np.sign(wave)
crossings = np.sum(signs[1:] * signs[:-1] < 0)
rms = np.sqrt(np.mean(wave**2))
level = 20 * np.log10(rms / np.abs(wave).max())

# %% matrix exponential
A = np.array([[0.0, 1.0], [-1.0, 0.0]]) * 0.5
term, total = np.eye(2), np.eye(2)
for k in range(1, 15):
    term = term @ A / k
    total = total + term
rotated = total @ np.array([1.0, 0.0])
assert abs(rotated[0] - math.cos(0.5)) < 1e-12

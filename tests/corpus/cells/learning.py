# Statistics and machine learning written in NumPy.
# floats: 1e-12

# %% setup
import numpy as np
rng = np.random.default_rng(3)
X = rng.normal(size=(20, 4))
truth = np.array([1.0, -2.0, 0.5, 0.0])
y = X @ truth + 0.1 * rng.normal(size=20)
labels = (y > 0).astype(float)
classes = rng.integers(0, 3, size=20)

# %% least squares by normal equations
w = np.linalg.solve(X.T @ X, X.T @ y)
fitted = X @ w
error = ((y - fitted) ** 2).mean()

# %% gradient descent
w = np.zeros(4)
for epoch in range(10):
    gradient = X.T @ (X @ w - y) / len(y)
    w -= 0.1 * gradient
loss = ((X @ w - y) ** 2).mean()

# %% logistic regression
w = np.zeros(4)
b = 0.0
for epoch in range(5):
    p = 1 / (1 + np.exp(-(X @ w + b)))
    gradient = p - labels
    w = w - 0.1 * X.T @ gradient / len(labels)
    b = b - 0.1 * gradient.mean()
loss = -(labels * np.log(p) + (1 - labels) * np.log(1 - p)).mean()

# %% softmax and cross entropy
scores = X @ np.ones((4, 3))
scores = scores - scores.max(axis=1, keepdims=True)
p = np.exp(scores)
p /= p.sum(axis=1, keepdims=True)
loss = -np.log(p[np.arange(20), classes]).mean()

# %% one hot
hot = np.eye(3)[classes]
per_class = hot.sum(axis=0)

# %% two layer network
rng = np.random.default_rng(0)
W1 = rng.normal(size=(4, 8)) * 0.5
W2 = rng.normal(size=(8, 1)) * 0.5
for step in range(3):
    h = np.maximum(X @ W1, 0)
    out = h @ W2
    d_out = (out - y[:, None]) / len(y)
    d_h = d_out @ W2.T * (h > 0)
    W2 = W2 - 0.1 * h.T @ d_out
    W1 = W1 - 0.1 * X.T @ d_h
loss = ((out - y[:, None]) ** 2).mean()

# %% k means step
centres = X[:3].copy()
for _ in range(3):
    distance = ((X[:, None] - centres) ** 2).sum(-1)
    nearest = distance.argmin(axis=1)
    for k in range(3):
        member = nearest == k
        centres[k] = (X * member[:, None]).sum(axis=0) / max(member.sum(), 1)

# %% k means with selection | data-dependent shape
centres = X[:2].copy()
nearest = ((X[:, None] - centres) ** 2).sum(-1).argmin(axis=1)
centres = np.array([X[nearest == k].mean(axis=0) for k in range(2)])

# %% nearest neighbours
distance = np.sqrt(((X[:, None] - X[None]) ** 2).sum(-1))
distance[np.arange(20), np.arange(20)] = np.inf
nearest = distance.argmin(axis=1)
guess = labels[nearest]
accuracy = (guess == labels).mean()

# %% covariance
centred = X - X.mean(axis=0)
covariance = centred.T @ centred / (len(X) - 1)
deviation = np.sqrt(np.diag(covariance))
correlation = covariance / np.outer(deviation, deviation)

# %% principal components | floats 1e-10
centred = X - X.mean(axis=0)
values, vectors = np.linalg.eigh(centred.T @ centred)
share = values / values.sum()

# %% standard scores
z = (X - X.mean(0)) / X.std(0, ddof=1)
outliers = (np.abs(z) > 2).sum()

# %% moving average
window = 4
padded = np.concatenate([np.zeros(window - 1), y])
average = np.array([padded[i : i + window].mean() for i in range(len(y))])

# %% exponential smoothing
level = y[0]
smooth = [level]
for value in y[1:]:
    level = 0.3 * value + 0.7 * level
    smooth.append(level)
smooth = np.array(smooth)

# %% confusion matrix
guess = (classes + np.arange(20) % 2) % 3
matrix = np.zeros((3, 3), dtype=int)
for t, g in zip(classes, guess):
    matrix[t, g] += 1
accuracy = np.trace(matrix) / matrix.sum()

# %% naive bayes
p = hot = np.eye(3)[classes]
size = hot.sum(axis=0)[:, None]
mean = hot.T @ X / size
spread = hot.T @ X**2 / size - mean**2
log_odds = -0.5 * (((X[:, None] - mean) ** 2 / spread) + np.log(spread)).sum(-1)
guess = log_odds.argmax(axis=1)

# %% ridge over several penalties
errors = {}
for penalty in (0.01, 0.1, 1.0):
    w = np.linalg.solve(X.T @ X + penalty * np.eye(4), X.T @ y)
    errors[penalty] = ((X @ w - y) ** 2).mean()
best = min(errors, key=errors.get)

# %% adam
w = np.zeros(4)
m = np.zeros(4)
v = np.zeros(4)
for t in range(1, 6):
    g = X.T @ (X @ w - y) / len(y)
    m = 0.9 * m + 0.1 * g
    v = 0.999 * v + 0.001 * g**2
    w -= 0.05 * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)

# %% batch iteration
losses = []
w = np.zeros(4)
for start in range(0, len(X), 8):
    xb, yb = X[start : start + 8], y[start : start + 8]
    residual = xb @ w - yb
    losses.append((residual**2).mean())
    w -= 0.05 * xb.T @ residual / len(xb)

# %% layer normalisation
mean = X.mean(axis=-1, keepdims=True)
var = X.var(axis=-1, keepdims=True)
normal = (X - mean) / np.sqrt(var + 1e-5) * np.ones(4) + np.zeros(4)

# %% attention
q, k, v = X[:6], X[6:12], X[12:18]
score = q @ k.T / np.sqrt(4)
weight = np.exp(score - score.max(-1, keepdims=True))
weight /= weight.sum(-1, keepdims=True)
seen = weight @ v

# %% dropout with a seeded generator
rng = np.random.default_rng(9)
mask = rng.random(X.shape) < 0.8
kept = X * mask / 0.8

# %% bootstrap mean
rng = np.random.default_rng(2)
means = [y[rng.integers(0, 20, 20)].mean() for _ in range(5)]
spread = np.std(means)

# %% gelu
x = np.linspace(-2, 2, 9)
gelu = 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)))

# %% log sum exp
top = X.max(axis=1)
total = top + np.log(np.exp(X - top[:, None]).sum(axis=1))

# %% percentile
quarter = np.percentile(y, 25)
middle = np.quantile(y, [0.5, 0.9])

# %% train test split
rng = np.random.default_rng(1)
order = rng.permutation(20)
train, test = X[order[:15]], X[order[15:]]
shift = train.mean(0) - test.mean(0)

"""The cells that `overhead.py` measures: what people write by hand, one bound beside each."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Figure:
    """A cell run both ways: later runs may cost ``ratio`` x plain + ``ms``, or ``us`` a contact."""

    title: str
    setup: str
    cell: str
    ratio: float = 1.2
    ms: float = 0.0
    us: float | None = None  # bound on what each of the ``contacts`` adds; then no ratio
    contacts: int = 0


# A C function that keeps its argument: nobody can see into it, so what it gets must be real.
KEEP = "from collections import deque\nkeep = deque(maxlen=1).append\n"

FIGURES = {
    "contact": Figure(
        "a contact whose program is known",
        KEEP + "x = np.arange(4.0)",
        "y = x * 2.0\nkeep(y)\n" * 400 + "result = y",
        us=10,
        contacts=400,
    ),
    "contacts": Figure(
        "10^5 contacts in one cell",
        KEEP + "x = np.arange(100.0)",
        """
for i in range(100_000):
    y = x * 2.0
    keep(y)
result = y
""",
        ratio=1.5,
        ms=20,
    ),
    "tiny_steps": Figure(
        "4,000 tiny steps of conditions and elements",
        "x = np.linspace(-1.0, 1.0, 50)\norder = list(np.random.default_rng(1).permutation(4000))",
        """
up = 0
for step in range(4000):
    j = order[step] % 50
    if x[j] * x[j - 1] > 0.1:
        x[j] -= 0.05 * x[j - 1]
        up += 1
    else:
        x[j] += 0.01
result = x.sum() + up
""",
    ),
    "signs": Figure(
        "[1 if e >= 0 else 0 for e in x] of 10^5",
        "x = np.random.default_rng(2).normal(size=100_000)",
        "result = [1 if e >= 0 else 0 for e in x]",
    ),
    "pure_loops": Figure(
        "pure Python loops",
        "text = 'the quick brown fox jumps over the lazy dog ' * 500",
        """
count = {}
for word in text.split():
    count[word] = count.get(word, 0) + 1
longest = 0
for start in range(1, 1500):
    n, steps = start, 0
    while n != 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    longest = max(longest, steps)
table = [[i * j for j in range(60)] for i in range(60)]
result = [longest, sum(count.values()), sum(map(sum, table))]
""",
        ratio=1.1,
    ),
    "recursion": Figure(
        "pure Python recursion",
        "",
        """
def fibonacci(n):
    return n if n < 2 else fibonacci(n - 1) + fibonacci(n - 2)

def move(n, a, b, c, moves):
    if n:
        move(n - 1, a, c, b, moves)
        moves.append((a, c))
        move(n - 1, b, a, c, moves)

moves = []
move(12, "a", "b", "c", moves)
result = [fibonacci(20), len(moves)]
""",
        ratio=1.1,
    ),
    "perceptron": Figure(
        "perceptron",
        """
rng = np.random.default_rng(3)
points = rng.normal(size=(400, 3))
labels = np.where(points @ np.array([1.0, -2.0, 0.5]) > 0.1, 1, -1)
""",
        """
class Perceptron:
    def __init__(self, size, rate=0.1):
        self.weights = np.zeros(size)
        self.bias = 0.0
        self.rate = rate

    def predict(self, row):
        return 1 if np.dot(self.weights, row) + self.bias > 0 else -1

    def train(self, rows, targets, epochs):
        self.errors = []
        for epoch in range(epochs):
            wrong = 0
            for row, target in zip(rows, targets):
                if self.predict(row) != target:
                    self.weights += self.rate * target * row
                    self.bias += self.rate * target
                    wrong += 1
            self.errors.append(wrong)

model = Perceptron(3)
model.train(points, labels, 10)
result = np.append(model.weights, model.errors)
""",
    ),
    "k_means": Figure(
        "k-means",
        """
rng = np.random.default_rng(4)
points = np.concatenate([rng.normal(c, 0.5, size=(120, 2)) for c in (-2, 0, 2)])
""",
        """
centres = points[[0, 130, 250]].copy()
for iteration in range(8):
    nearest = []
    for p in points:
        distances = [np.sqrt(((p - c) ** 2).sum()) for c in centres]
        nearest.append(distances.index(min(distances)))
    moved = centres.copy()
    for k in range(3):
        mine = [p for p, n in zip(points, nearest) if n == k]
        if mine:
            moved[k] = np.mean(mine, axis=0)
    if np.allclose(moved, centres):
        break
    centres = moved
result = centres
""",
    ),
    "decision_tree": Figure(
        "decision tree",
        """
rng = np.random.default_rng(5)
features = rng.uniform(size=(150, 3))
classes = ((features[:, 0] > 0.5) ^ (features[:, 1] > 0.3)).astype(int)
""",
        """
def impurity(y):
    if len(y) == 0:
        return 0.0
    p = np.bincount(y) / len(y)
    return 1.0 - np.sum(p ** 2)

def split(x, y):
    best, where = impurity(y), None
    for column in range(x.shape[1]):
        for value in x[::5, column]:
            left = x[:, column] <= value
            cost = left.mean() * impurity(y[left]) + (~left).mean() * impurity(y[~left])
            if cost < best:
                best, where = cost, (column, value)
    return where

def grow(x, y, depth):
    where = split(x, y) if depth else None
    if where is None:
        return int(np.bincount(y).argmax())
    left = x[:, where[0]] <= where[1]
    return where, grow(x[left], y[left], depth - 1), grow(x[~left], y[~left], depth - 1)

def classify(tree, row):
    while isinstance(tree, tuple):
        (column, value), low, high = tree
        tree = low if row[column] <= value else high
    return tree

tree = grow(features, classes, 3)
result = [classify(tree, row) for row in features]
""",
    ),
    "edit_distance": Figure(
        "edit distance",
        "a, b = 'intention and execution' * 5, 'execution of intentions' * 5",
        """
d = np.zeros((len(a) + 1, len(b) + 1), dtype=int)
d[:, 0] = np.arange(len(a) + 1)
d[0, :] = np.arange(len(b) + 1)
for i in range(1, len(a) + 1):
    for j in range(1, len(b) + 1):
        change = 0 if a[i - 1] == b[j - 1] else 1
        d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + change)
result = d[-1, -1]
""",
    ),
    "sieve": Figure(
        "sieve",
        "n = 30_000",
        """
prime = np.ones(n, dtype=bool)
prime[:2] = False
for i in range(2, n):
    if prime[i]:
        for j in range(i * i, n, i):
            prime[j] = False
result = np.flatnonzero(prime)
""",
    ),
    "cavity": Figure(
        "cavity flow",
        "n, dt, nu = 21, 0.001, 0.1\ndx = 2.0 / (n - 1)",
        """
u, v, p = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
u[-1, :] = 1.0
for step in range(20):
    b = np.zeros((n, n))
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            ux = (u[i, j + 1] - u[i, j - 1]) / (2 * dx)
            vy = (v[i + 1, j] - v[i - 1, j]) / (2 * dx)
            b[i, j] = (ux + vy) / dt - ux ** 2 - vy ** 2
    for sweep in range(10):
        q = p.copy()
        p[1:-1, 1:-1] = 0.25 * (q[1:-1, 2:] + q[1:-1, :-2] + q[2:, 1:-1] + q[:-2, 1:-1]
                                - dx ** 2 * b[1:-1, 1:-1])
        p[:, -1], p[0, :], p[:, 0], p[-1, :] = p[:, -2], p[1, :], p[:, 1], 0
    un, vn = u.copy(), v.copy()
    a, d = dt / (2 * dx), nu * dt / dx ** 2
    u[1:-1, 1:-1] = un[1:-1, 1:-1] - a * (p[1:-1, 2:] - p[1:-1, :-2]) + d * (
        un[1:-1, 2:] + un[1:-1, :-2] + un[2:, 1:-1] + un[:-2, 1:-1] - 4 * un[1:-1, 1:-1])
    v[1:-1, 1:-1] = vn[1:-1, 1:-1] - a * (p[2:, 1:-1] - p[:-2, 1:-1]) + d * (
        vn[1:-1, 2:] + vn[1:-1, :-2] + vn[2:, 1:-1] + vn[:-2, 1:-1] - 4 * vn[1:-1, 1:-1])
    u[0, :], u[:, 0], u[:, -1], u[-1, :] = 0, 0, 0, 1
result = u + v
""",
    ),
}  # fmt: skip

# Ordinary small cells, run one after another in one namespace, as in a notebook.
SMALL = [
    "a = np.arange(12).reshape(3, 4)",
    "a.sum(axis=0)",
    "b = a * 2.5 + 1\nb",
    "print(a.shape, a.dtype)",
    "m = (b - b.mean()) / b.std()",
    "m[m > 0]",
    "t = np.linspace(0, 2 * np.pi, 200)\nwave = np.sin(t) * np.exp(-t / 3)",
    "wave.max(), wave.argmax()",
    "def area(x, y):\n    return float(((y[1:] + y[:-1]) / 2 * np.diff(x)).sum())\n\narea(t, wave)",
    "names = ['a', 'b', 'c']\nfor i, name in enumerate(names):\n    print(name, a[i].sum())",
    "rng = np.random.default_rng(0)\nsample = rng.normal(size=1000)\nsample.mean(), sample.std()",
    "counts, edges = np.histogram(sample, bins=20)\ncounts",
    "A = rng.uniform(size=(5, 5))\nx = np.linalg.solve(A, np.ones(5))\nnp.allclose(A @ x, 1)",
    "squares = [i ** 2 for i in range(20)]\nsum(squares)",
    "c = np.zeros((4, 4))\nc[1:3, 1:3] = 1\nc[0, -1] = 5\nprint(c)",
    "f'{wave.mean():.3f} and {len(sample)}'",
    "d = dict(zip(names, a.tolist()))\nd",
    "class Account:\n    def __init__(self, amount):\n        self.amount = amount\n\n"
    "    def pay(self, x):\n        self.amount += x\n        return self\n\n"
    "Account(10).pay(5).amount",
    "total = 0.0\nfor v in sample[:50]:\n    if v > 0:\n        total += v\ntotal",
    "np.random.seed(1)\nwalk = np.cumsum(np.random.choice([-1, 1], 500))\nwalk[-1]",
    "y = 3 * t + 2\nslope, offset = np.polyfit(t, y, 1)\nround(slope, 6), round(offset, 6)",
    "import math\nmath.sqrt(2) + math.pi",
    "np.where(wave > 0, wave, 0).sum()",
    "w = np.array([0.5, -0.5])\nfor step in range(10):\n    w = w - 0.1 * 2 * w\nw",
]

# Peaks of memory: an 80 MB array, and batches that a loader makes.
STEPS = """
x = np.zeros(10_000_000)
seen = []
for step in range(200):
    x = x + 0.01 * (1 - x)
    if step % 50 == 0:
        seen.append(float(x[step]))
result = x[::1_000_000].copy()
"""
LOADER = """
class Loader:
    def __init__(self, count):
        self.rng, self.count = np.random.default_rng(0), count

    def __iter__(self):
        for _ in range(self.count):
            yield self.rng.normal(size=(64, 256)), self.rng.normal(size=64)

w = np.zeros(256)
losses = []
for rows, wanted in Loader({count}):
    error = rows @ w - wanted
    losses.append((error ** 2).mean())
    w = w - 0.001 * rows.T @ error / len(error)
result = w
"""
INTERRUPTED = {
    "products of 128 MB": "y = np.ones(16_000_000)\nfor i in range(4000):\n    y = y * 1.0001",
    "a loop of small steps": "v = np.ones(50)\nfor i in range(10**8):\n    v = v * 1.0001 - v",
    "element by element": "v = np.ones(50)\nfor i in range(10**8):\n    v[i % 50] += 1e-9",
}

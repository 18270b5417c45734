# Code of earlier plain cells: buffers, objects and libraries of one's own, called with arrays.
# floats: 1e-12

# %% setup
import copy, itertools, random

import numpy as np

def smoothed(t, rounds=2):
    out = np.zeros(len(t))
    for _ in range(rounds):
        out += t
        out[1:-1] = (t[:-2] + t[1:-1] + t[2:]) / 3
    return out

def both_ends(t):
    pair = np.empty((2, len(t)))
    pair[0] = t
    shown = pair * 2
    pair[1] = t[::-1]
    return shown[0], pair

class Scaler:
    def __init__(self, n):
        self.mean, self.count = np.zeros(n), 0

    def update(self, rows):
        for row in rows:
            self.count += 1
            self.mean += (row - self.mean) / self.count
        return self

    def __call__(self, rows):
        return rows - self.mean

class Particle:
    def __init__(self, at):
        self.at, self.speed = np.array(at, float), np.zeros(2)

    def push(self, force, dt=0.1):
        self.speed += np.asarray(force) * dt
        self.at += self.speed * dt

def in_place(arrays, factor):
    for a in arrays:
        a *= factor

# %% buffer of a helper
x = np.linspace(0, 1, 8) ** 2
y = smoothed(x)
z = smoothed(x * 2, rounds=3) - y

# %% buffer read, then written
x = np.linspace(0, 1, 5) * 3
early, pair = both_ends(x)
total = early.sum() + pair.sum()

# %% running mean in an object
rows = np.arange(12.0).reshape(4, 3) ** 2
scaler = Scaler(3)
before = scaler(rows)
scaler.update(rows)
after = scaler(rows)
centre = after.mean(axis=0)

# %% particles pushed
particles = [Particle([i, 0]) for i in range(3)]
for _ in range(4):
    centre = np.mean([p.at for p in particles], axis=0)
    for p in particles:
        p.push(centre - p.at)
places = np.array([p.at for p in particles])

# %% arrays of a list written by a helper
weights = [np.ones(3), np.arange(3.0)]
x = np.array([1.0, 2.0, 3.0]) * 2
a = [x * w for w in weights]
in_place(weights, 0.5)
b = [x * w for w in weights]

# %% batches shuffled and joined
random.seed(4)
rng = np.random.default_rng(4)
x = np.arange(12.0) * 3
batches = np.array_split(x, 4)
random.shuffle(batches)
rng.shuffle(x)
joined = np.concatenate([b * 2 for b in batches])
folds = [np.concatenate(pair) for pair in itertools.combinations(batches, 2)]

# %% copies kept for later
state = {"w": np.ones(3) * 2, "b": np.zeros(1) + 1}
best = copy.deepcopy(state)
for i in range(3):
    state["w"] -= 0.1 * (i + 1)
    state["b"] += 0.5
moved = {k: np.abs(state[k] - best[k]).max() for k in state}

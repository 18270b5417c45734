# Writes through names, views and elements; every alias sees them.
# floats: 1e-14

# %% setup
import numpy as np
base = np.arange(12.0)
grid = np.arange(20.0).reshape(4, 5)
whole = np.arange(10)
jumbled = np.array([[3.0, 1, 2, 0], [9, 7, 8, 6]])

# %% augmented names
x = base.copy()
y = x
x += 1
x *= 2
x -= y / 2
x /= 4

# %% augmented input
base += 100
top = base.max()

# %% view written
v = base[3:6]
v[:] = -1
total = base.sum()

# %% view of a view
v = base[2:10]
w = v[::2]
w *= 10
second = v[1]

# %% base written, view read
v = base[:4]
base[0] = 50
base[1:3] = [60, 70]
seen = v * 1

# %% two names one array
a = base
b = base
a[0] = 5
b[1] = a[0] + 1
same = a is b

# %% rows and columns
grid[1] = 0
grid[:, 2] = 7
grid[-1, -1] = 99
grid[::2, ::2] += 0.5

# %% swap rows by copy
held = grid[0].copy()
grid[0] = grid[1]
grid[1] = held

# %% tuple swap of views aliases
grid[0], grid[1] = grid[1], grid[0]
top = grid[0].sum()

# %% reshape is a view
square = base.reshape(3, 4)
square[1] = 0
flat = square.ravel()
flat[0] = -5

# %% transpose is a view
turned = grid.T
turned[0] = 1
turned[:, 0] += 2
column = grid[:, 0]

# %% flatten is a copy
flat = grid.flatten()
flat[:] = 0
kept = grid.sum()

# %% overlapping shift forward
base[1:] = base[:-1]

# %% overlapping shift backward
base[:-1] = base[1:]
base[:-1] += base[1:]

# %% augmented slices in a loop
for i in range(1, len(base)):
    base[i] += base[i - 1]

# %% fill and put
x = np.empty(5)
x.fill(3)
x[[0, 4]] = [1, 2]
y = x * x

# %% fancy augmented counts once
x = np.zeros(4)
x[[0, 0, 1]] += 1

# %% add.at counts all
x = np.zeros(4)
np.add.at(x, [0, 0, 1], 1)

# %% boolean mask write
base[base > 6] = 6
base[base < 2] += 0.5

# %% mask of another array
mask = np.arange(12) % 3 == 0
base[mask] = base[mask] * -1

# %% integer array takes floats
whole[2] = 3.9
whole[3:5] = np.array([1.5, 2.5])

# %% integer augmented by float fails
whole += 1
whole += 0.5
never = 1

# %% list holds the same array
held = [base, base * 2]
held[0] += 1
base[0] = -9
first = held[0][0]

# %% dict of arrays written
store = {"w": np.zeros(3), "b": np.ones(2)}
store["w"] += 2
store["b"][0] = 9
store["c"] = store["w"] * store["b"][0]

# %% attribute holds an array
class Layer:
    def __init__(self, w):
        self.w = w
layer = Layer(base[:3])
layer.w *= 2
layer.scaled = layer.w + 1
layer.total = layer.scaled.sum()

# %% function writes its argument
def bump(x, by=1):
    x += by
    return x
same = bump(base) is base
bump(grid[0], by=10)

# %% function rebinds its argument
def doubled(x):
    x = x * 2
    x += 1
    return x
result = doubled(base)

# %% default argument is written
def collect(value, seen=[]):
    seen.append(value * 2)
    return seen
one = collect(base[:2])
two = collect(base[2:4])
alias = one is two

# %% global written in a function
counter = np.zeros(3)
def step():
    global counter
    counter = counter + 1
for _ in range(3):
    step()

# %% nonlocal accumulates
def accumulator():
    total = np.zeros(2)
    def add(x):
        nonlocal total
        total = total + x
        return total
    return add
add = accumulator()
first = add(np.ones(2))
second = add(np.arange(2.0))

# %% slice object
window = slice(2, 5)
base[window] = 0
part = base[window]

# %% write of a scalar expression
base[0] = base[1] + base[2] * 2
base[-1] = base.sum()

# %% conditional write on ints
for i in range(len(whole)):
    if i % 2:
        whole[i] *= -1

# %% write then print then write
base[0] = 1.5
print(base[:3])
base[1] = 2.5
print(base[:3])
base[2] = 3.5

# %% copyto and at
x = np.zeros(4)
np.copyto(x, [1, 2, 3, 4])
y = x + 0

# %% empty slice write
base[5:5] = 1
base[20:] = 2
kept = base.sum()

# %% negative step write
base[::-1] = np.arange(12)
back = base[::-1] * 2

# %% read-only input
fixed = np.arange(3.0)
fixed.flags.writeable = False
fixed[0] = 1

# %% out is an alias
np.multiply(base, 2, out=base)
np.add(base[1:], base[:-1], out=base[1:])

# %% matrix in place
m = grid[:, :4]
m @= np.eye(4) * 2
m[0] -= m[1]

# %% sort part in place
tail = base[6:]
tail[::-1].sort()
first = base[6]

# %% broadcast view is read-only
wide = np.broadcast_to(base[:3], (2, 3))
total = wide.sum()
wide[0] = 1

# %% view outlives its base
def middle():
    inner = np.arange(9.0)
    return inner[3:6]
part = middle()
part += 1

# %% pending reads before a dict's array is written
store = {"w": base}
before = store["w"] * 2
store["w"] += 1
after = store["w"] * 2
same = store["w"] is base

# %% pending reads before an attribute's array is written
class Holder:
    pass
h = Holder()
h.w = base
before = h.w.sum()
h.w -= 5
h.w[0] *= 3
after = h.w.sum()

# %% pending reads before a sort in place
before = jumbled * 2
row = jumbled[0]
row.sort()
after = jumbled * 1

# %% pending reads before a library writes
import random
before = base + 1
copy = base.copy()
np.random.seed(1)
np.random.shuffle(copy)
after = copy * 2

# %% pending reads before a shuffle of an input
before = base + 1
np.random.seed(2)
np.random.shuffle(base)
after = base + 1

# %% pending reads before fill and itemset
before = base * 3
base.fill(2)
after = base * 3
base.put([0], [7])

# %% pending reads before resize and partition
before = jumbled.sum(axis=0)
jumbled.partition(2, axis=1)
after = jumbled.sum(axis=0)

# %% earlier function writes an input
exec("def zero(v):\n    v[0] = 0\n    v[1:] *= 2\n")
before = base + 1
zero(base)
after = base + 1

# %% element of a list updated
held = [base, base[2:4]]
held[0] += 1
held[1] *= 2
held[0][5] -= 4
total = held[0].sum() + held[1].sum()

# %% nested containers updated
state = {"layers": [{"w": base, "n": 1}]}
state["layers"][0]["w"] *= 0.5
state["layers"][0]["n"] += 2
first = state["layers"][0]["w"][1]

# %% order of an update's parts
log = []
def at(i):
    log.append(f"index {i}")
    return i
def value(v):
    log.append(f"value {v}")
    return v
base[at(1)] += value(10)
grid[at(0), at(2)] -= value(1)

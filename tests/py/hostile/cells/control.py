# Loops, conditions and slices whose steps are not alike.

# %% an index that wraps around
def wrap(y, v, n):
    for i in range(n):
        y[i] = v[i % 5]
# --- cell
y = np.zeros(100)
for i in range(100):
    y[i] = x[i % 6]
wrap(y, x, 50)
total = y.sum()

# %% one step that is another
def special(y):
    for i in range(100):
        if i == 70:
            y = y * 0
        y = y + 1
    return y
# --- cell
a = special(x)
b = x
for i in range(90):
    if i == 71:
        b = b - 1000
    b = b + 1

# %% slices that grow
def prefix(v, w):
    out = []
    for i in range(1, 4):
        try:
            out.append((v[:i] * w).sum())
        except ValueError as error:
            out.append(str(error))
    return out
# --- cell
w = np.ones(3)
a = prefix(x, w)
b = [x[:i].sum() for i in range(6)]
c = [x[:i - 1] for i in range(3)]
d = [x[i:i + 4].mean() for i in range(5)]

# %% the maximum of an empty slice
def peak(v, n):
    return v[:n].max()
# --- cell
a = peak(x, 3)
try:
    b = peak(x, 0)
except ValueError as error:
    b = str(error)
c = x[:0].sum(), x[6:].prod()

# %% a broadcast of one against n
def add(v, w):
    return v + w
# --- cell
out = []
for n in (1, 6, 1):
    out.append(add(x, np.ones(n)))
try:
    add(x, np.ones(2))
except ValueError as error:
    text = str(error)

# %% a raise inside a loop
def checked(v):
    for i, e in enumerate(v):
        if e > 3:
            raise ValueError(f"too large at {i}")
        v[i] = -e
# --- cell
a = x * 2
try:
    checked(x)
except ValueError as error:
    text = str(error)
b = x * 2

# %% a loop that ends by a condition
def settle(v):
    n = 0
    while np.abs(v).max() > 0.1:
        v = v * 0.5
        n += 1
    return v, n
# --- cell
v, n = settle(x)
w, m = x * 1, 0
while w.sum() > 1:
    w = w / 2
    m += 1
    if m > 100:
        break
else:
    ended = "else"

# %% break and continue by values
def upto(v, k):
    total = 0.0
    for e in v:
        if e == 1:
            continue
        if e > k:
            break
        total += e
    else:
        total = -1
    return total
# --- cell
a = upto(x, 3), upto(x, 100)
b = []
for e in x * 2:
    if e > 6:
        break
    b.append(e)
last = e

# %% a loop variable after the loop
def after(n):
    for i in range(n):
        y = x * i
    return i, y
# --- cell
a = after(4)
for i, v in enumerate(x):
    pass
b = i, v
for k in []:
    pass
c = "k" in globals()

# %% nested loops over elements
def table(n):
    m = np.zeros((n, n))
    for i in range(n):
        for j in range(i, n):
            m[i, j] = m[j, i] = i * j + (m[i - 1, j] if i else 0)
    return m
# --- cell
m = table(5)
t = m.trace()
for i in range(5):
    m[i, i] = 0
    for j in range(5):
        if m[i, j] > 4:
            m[i, j] -= 1

# %% conditions on elements
def relu(v):
    out = []
    for e in v:
        out.append(e if e > 0 else 0.0)
    return out
# --- cell
a = relu(x - 3)
b = [1 if e >= 3 else 0 for e in x]
c = sum(1 for e in x if e % 2 == 0)
d = [i for i in range(6) if x[i] > 2]
kinds = [type(e).__name__ for e in a]

# %% a list changed while it is walked
def trim(l):
    for v in l[:]:
        if v.sum() > 20:
            l.remove(v)
# --- cell
l = [x.sum() * i for i in range(4)]
trim(l)
queue = [x * 3]
while queue:
    v = queue.pop()
    if v.sum() > 6:
        queue.append(v / 2)
    last = v

# %% two buffers swapped
def evolve(u, n):
    v = np.empty_like(u)
    for _ in range(n):
        v[1:-1] = (u[:-2] + u[2:]) / 2
        v[0], v[-1] = u[0], u[-1]
        u, v = v, u
    return u
# --- cell
r = evolve(x.copy(), 5)
s = evolve(x.copy(), 4)
u, v = x, x * 0
for i in range(7):
    v[:] = u + 1
    u, v = v, u
same = u is x

# %% sums kept in plain numbers
def loss(w):
    total = 0.0
    n = 0
    for i in range(20):
        total += float((w * i).sum())
        n += 1 if total > 100 else 0
    return total, n
# --- cell
a = loss(x)
total = 0
for i in range(10):
    total += x[i % 6]
kind = type(total).__name__

# %% integers that overflow
def wraps(n):
    v = np.int64(2**62)
    with np.errstate(over="ignore"):
        for _ in range(n):
            v = v + v
    return v
# --- cell
a = wraps(3)
i = np.array([250, 251], dtype=np.uint8)
for k in range(10):
    i += 1
big = 2**62
for k in range(5):
    big = big * 2
b = np.arange(3, dtype=np.int8) * np.int8(100)

# %% powers with integers
def powers(v):
    return v ** 2, v ** 3, 2 ** v, v ** 0
# --- cell
i = np.arange(4)
a = powers(i)
b = powers(x)
try:
    i ** -1
except ValueError as error:
    text = str(error)
c = [int(k) ** 3 for k in i]

# %% negative and stepped indices
def ends(v):
    return v[-1], v[-2:], v[::-2], v[-100:2], v[4:1:-1]
# --- cell
a = ends(x)
b = [x[-i] for i in range(1, 7)]
try:
    x[6]
except IndexError as error:
    text = str(error)
for i in range(6):
    x[-i] += i

# %% masks and fancy indices
def mask(v):
    v[v > 3] = 0
    return v[v != 0]
# --- cell
a = x * 2
m = mask(x)
b = x * 2
i = np.array([0, 2, 2])
x[i] += 10
c = x * 1
n = np.where(x > 1)
d = x[n].sum(), np.argwhere(x > 1).shape
x[[0, 1]] = x[[1, 0]]

# %% a loop over rows that writes them
def centre(m):
    for row in m:
        row -= row.mean()
# --- cell
m = x.reshape(2, 3) * 2
a = m + 0
centre(m)
b = m + 0
for i, row in enumerate(m):
    row[i] = 100
    m[i] += 1
c = m.sum()

# %% a function with many exits
def sign(v):
    s = v.sum()
    if s > 10:
        return "large"
    elif s > 0:
        return s
    for i in range(3):
        if v[i] < 0:
            return i, v[i]
    return None
# --- cell
a = [sign(v) for v in (x, x * 0.1, -x, x * 0)]

# %% a bisection and a root finder
def bisect(f, lo, hi):
    while hi - lo > 1e-9:
        mid = (lo + hi) / 2
        if f(lo) * f(mid) <= 0:
            hi = mid
        else:
            lo = mid
    return mid
# --- cell
a = bisect(lambda t: t**2 - 2, 0.0, 2.0)
b = bisect(np.cos, np.float64(0), np.float64(3))
kinds = type(a).__name__, type(b).__name__

# %% chained comparisons and logic of values
def inside(v):
    return 0 <= v.min() < v.max() <= 5, not v.any(), v.all() or "none", v.any() and "some"
# --- cell
a = inside(x)
b = 1 < x[2] < 3 and x[3] != 3 or x[0]
c = bool(x[:1]), bool(x[1:2])
try:
    bool(x)
except ValueError as error:
    text = str(error)

# %% conversions of values
def numbers(v):
    return float(v[1]), int(v[2]), v[3].item(), v.tolist(), complex(v[4]), round(float(v.mean()), 2)
# --- cell
a = numbers(x * 2)
b = range(int(x[3])), "ab" * int(x[2]), [0] * int(x.sum())
c = round(x[1] * 1.26, 1), divmod(x[5], 2), abs(-x[2]), pow(x[2], 3)

# %% attributes updated in a loop
class Walker:
    def __init__(self):
        self.position, self.path = np.zeros(2), []
    def move(self, step):
        self.position = self.position + step
        self.path.append(self.position)
# --- cell
w = Walker()
for i in range(12):
    w.move(np.array([i % 3 - 1, 1]))
length = len(w.path)
last = w.path[-1] is w.position
turn = [p[0] for p in w.path if p[1] > 6]

# Generators, iterators and loaders: buffers that are used again, made here or earlier.

# %% a generator that fills one buffer
def batches(n):
    buf = np.zeros(3)
    for i in range(n):
        buf[:] = i
        yield buf
# --- cell
kept, sums = [], []
for b in batches(4):
    kept.append(b)
    sums.append(b + 1)
same = kept[0] is kept[3]

# %% a generator that writes what it was given
def drain(a):
    while a.sum() > 5:
        a -= 1
        yield a.sum()
# --- cell
seen = []
for total in drain(x):
    seen.append((total, x * 2))
left = x * 1

# %% next of a generator of an earlier moment
def counter(a):
    n = 0
    while True:
        a[n % 6] += 10
        n += 1
        yield n
g = counter(x)
next(g)
# --- cell
a = x * 2
next(g)
b = x * 2
n = next(g)
c = x * 2

# %% send into a generator that writes
def sink(a):
    while True:
        v = yield
        a += v
s = sink(x)
next(s)
# --- cell
a = x * 2
s.send(5)
b = x * 2
s.send(x * 1)
c = x * 2

# %% throw and close of a generator that writes at its end
def guarded(a):
    try:
        while True:
            yield a * 2
    except KeyError:
        a += 100
        yield a * 3
    finally:
        a[:] = 1
# --- cell
g = guarded(x)
a = next(g)
b = g.throw(KeyError("k"))
c = x * 2
g.close()
d = x * 2

# %% enumerate of a generator with a buffer
def rows():
    buf = np.empty(2)
    for i in range(3):
        buf.fill(i)
        yield buf
# --- cell
out = {}
for i, r in enumerate(rows()):
    out[i] = r * 2
last = r
z = [p + q for p, q in zip(rows(), [1, 2, 3])]

# %% a loader object with a buffer
class Loader:
    def __init__(self, data, size):
        self.data, self.size, self.buf = data, size, np.zeros(size)

    def __iter__(self):
        for i in range(0, len(self.data), self.size):
            np.copyto(self.buf, self.data[i:i + self.size])
            yield self.buf

    def __len__(self):
        return len(self.data) // self.size
# --- cell
loader = Loader(x, 2)
w = np.zeros(2)
steps = []
for epoch in range(2):
    for b in loader:
        w += b * 0.5
        steps.append(w * 1)
n = len(loader)

# %% an iterator class with a buffer
class Frames:
    def __init__(self):
        self.frame, self.i = np.zeros(4), 0
    def __iter__(self):
        return self
    def __next__(self):
        if self.i == 3:
            raise StopIteration
        self.frame[self.i] = 1
        self.i += 1
        return self.frame
# --- cell
frames = [f * 2 for f in Frames()]
f = Frames()
a = next(f) + 1
b = next(f) + 1
rest = list(f)
same = rest[0] is f.frame

# %% getitem as the old protocol of iteration
class Old:
    def __init__(self):
        self.buf = np.zeros(2)
    def __getitem__(self, i):
        if i > 2:
            raise IndexError(i)
        self.buf += i
        return self.buf
# --- cell
old = Old()
got = [v + 0.5 for v in old]
p, q, r = old
same = p is q is r
last = old.buf * 1

# %% a generator expression over a growing array
def scaled(a):
    return (v * k for v in a)
k = 2
# --- cell
g = scaled([x, x + 1])
first = next(g)
k = 10
x += 100
second = next(g)
total = sum(v.sum() for v in (x, x * 2))

# %% a settle inside a generator's own try
def safe(a):
    for i in range(3):
        try:
            yield np.sqrt(a - i * 2)
        except Exception as error:
            yield repr(error)
# --- cell
got = []
with np.errstate(invalid="raise"):
    try:
        for v in safe(x):
            got.append(v)
    except FloatingPointError as error:
        caught = str(error)

# %% an error of the body thrown past a generator
def tries(a):
    for i in range(3):
        try:
            yield a * i
        except ValueError:
            print("never")
# --- cell
seen = []
try:
    for v in tries(x):
        seen.append(v)
        v.reshape(4)
except ValueError as error:
    caught = str(error)

# %% yield from with a buffer and a value
def inner(buf):
    for i in range(2):
        buf += i + 1
        yield buf
    return buf.sum()
def outer():
    buf = np.zeros(3)
    total = yield from inner(buf)
    yield np.full(3, total)
# --- cell
got = [v * 1 for v in outer()]
g = outer()
a = next(g)
b = a + 0.0
next(g)
c = a + 0.0

# %% a chain and an islice of generators
import itertools
def ramp(a, n):
    for i in range(n):
        a[i] = -1
        yield i
# --- cell
a = x * 2
got = list(itertools.islice(itertools.chain(ramp(x, 2), ramp(x, 4)), 4))
b = x * 2
t1, t2 = itertools.tee(v * 2 for v in (x, x + 1))
c, d = next(t1), list(t2)
same = d[0] is c

# %% a context manager inside a generator
from contextlib import contextmanager
@contextmanager
def frozen(a):
    a.flags.writeable = False
    yield a
    a.flags.writeable = True
def walk(a):
    with frozen(a) as f:
        for v in f:
            yield v
# --- cell
got = []
for v in walk(x):
    try:
        x[0] = 50
        got.append("written")
    except ValueError as error:
        got.append(str(error))
x[0] = 9
after = x * 2

# %% an async generator
async def ticks(a):
    for i in range(3):
        a[i] += 5
        yield a * 1
async def collect(a):
    return [v async for v in ticks(a)]
# --- cell
a = x * 2
got = await collect(x)
b = x * 2
async for v in ticks(x):
    c = x * 2

# %% await of a coroutine that writes
import asyncio
async def later(a, v):
    await asyncio.sleep(0)
    a += v
    return a
# --- cell
a = x * 2
r = await later(x, 1)
b = x * 2
rs = await asyncio.gather(later(x, 1), later(x, 2))
c = x * 2
same = r is x is rs[1]

# %% a task that writes while another waits
import asyncio
async def writer(a):
    for i in range(3):
        a += 1
        await asyncio.sleep(0)
# --- cell
task = asyncio.ensure_future(writer(x))
a = x * 2
await asyncio.sleep(0)
b = x * 2
await task
c = x * 2

# %% a generator that is never finished
def endless(a):
    while True:
        a += 1
        yield
# --- cell
g = endless(x)
for i, _ in zip(range(3), g):
    y = x * 2
del g
z = x * 2

# %% zip that draws one too many
def draws(a, n):
    for i in range(n):
        a[i] = 100
        yield i
# --- cell
pairs = [(p, q, x * 1) for p, q in zip(draws(x, 4), [1, 2])]
after = x * 1

# %% a generator in a dict and a method of it
class Pipe:
    def __init__(self, a):
        self.a = a
        self.go = self.run()
    def run(self):
        for k in (2, 3, 4):
            self.a *= k
            yield self
# --- cell
p = Pipe(x)
tools = {"next": p.go.__next__}
a = x + 1
tools["next"]()
b = x + 1
r = next(p.go).a is x
c = x + 1

# %% comprehensions of a function that record nothing
def kinds(v, n):
    w = v + 1
    flat = [(type(v) is np.ndarray, w is v, hasattr(w, "parent")) for i in range(n)]
    nested = [[(type(v) is np.ndarray, type(u) is np.ndarray) for i in range(n)] for u in [v, w] * 12]
    return flat, nested, {type(w) for i in range(n)}, {i: w for i in range(n)}[n - 1] is w
# --- cell
y = x * 2
r = [kinds(y, 12) for k in range(3)]
s = [[any(type(u) is np.ndarray for i in range(9)) for u in [y, y * k]] for k in range(12)]
z = y + 1

# Awkward Python around arrays: classes, closures, generators, context managers, exceptions.
# floats: 1e-14

# %% setup
import numpy as np
x = np.arange(5.0)

def helper(v, k=2):
    """A function of an earlier cell."""
    return np.exp(-v * k) + v.sum()

class Scaler:
    def __init__(self, factor):
        self.factor = factor
        self.seen = []
    def __call__(self, v):
        self.seen.append(v.mean())
        return v * self.factor

# %% helper of an earlier cell
y = helper(x)
z = helper(x * 2, k=3)

# %% class of an earlier cell
scale = Scaler(3)
y = scale(x)
z = scale(y + 1)
count = len(scale.seen)

# %% class with arithmetic
class Vector:
    def __init__(self, data):
        self.data = data
    def __add__(self, other):
        return Vector(self.data + other.data)
    def __rmul__(self, k):
        return Vector(k * self.data)
    def __getitem__(self, i):
        return self.data[i]
    def __len__(self):
        return len(self.data)
v = Vector(x) + 2 * Vector(np.ones(5))
first, size = v[0], len(v)

# %% inheritance and super
class Base:
    bias = 1
    def run(self, v):
        return v + self.bias
class Child(Base):
    bias = 2
    def run(self, v):
        return super().run(v) * 10
y = Child().run(x)

# %% property and setter
class Celsius:
    def __init__(self, t):
        self._t = t
    @property
    def fahrenheit(self):
        return self._t * 9 / 5 + 32
    @fahrenheit.setter
    def fahrenheit(self, f):
        self._t = (f - 32) * 5 / 9
c = Celsius(x)
f = c.fahrenheit
c.fahrenheit = f + 9
t = c._t

# %% static and class methods
class Maker:
    made = 0
    @classmethod
    def of(cls, n):
        cls.made += 1
        return np.full(n, cls.made)
    @staticmethod
    def twice(v):
        return v * 2
a, b = Maker.of(2), Maker.of(3)
c = Maker.twice(b)

# %% callable in a dict
steps = {"half": lambda v: v / 2, "square": lambda v: v * v, "up": np.cumsum}
y = x
for name in ("square", "half"):
    y = steps[name](y)

# %% decorator
def logged(f):
    def inner(*args, **kwargs):
        print("calling", f.__name__)
        return f(*args, **kwargs)
    return inner
@logged
def shift(v, by):
    return v + by
y = shift(x, by=3)

# %% decorator with arguments and wraps
import functools
def times(n):
    def wrap(f):
        @functools.wraps(f)
        def inner(v):
            for _ in range(n):
                v = f(v)
            return v
        return inner
    return wrap
@times(3)
def double(v):
    """Twice."""
    return v * 2
y = double(x)

# %% cached function
import functools
@functools.lru_cache
def table(n):
    return np.arange(n) * 2
a = table(4)
same = table(4) is a

# %% partial
import functools
scale = functools.partial(np.multiply, 3)
y = scale(x)
square = functools.partial(pow, exp=2)
z = square(7)

# %% closure over arrays
def affine(w, b):
    def apply(v):
        return v * w + b
    return apply
f = affine(x + 1, x.sum())
y = f(np.ones(5))

# %% generator of arrays
def windows(v, n):
    for i in range(len(v) - n + 1):
        yield v[i : i + n]
sums = [w.sum() for w in windows(x, 2)]
total = sum(w[0] for w in windows(x, 3))

# %% generator with send
def averager():
    total, n = 0.0, 0
    mean = None
    while True:
        value = yield mean
        total = total + value
        n += 1
        mean = total / n
g = averager()
next(g)
means = [g.send(v * 1.0) for v in (x, x + 2, x * 3)]
g.close()

# %% yield from
def inner(n):
    for i in range(n):
        yield x * i
    return n * 10
def outer():
    got = yield from inner(2)
    yield got
parts = list(outer())

# %% comprehension over arrays
rows = [x * i for i in range(3)]
table = {i: r.sum() for i, r in enumerate(rows)}
best = max(table, key=table.get)
kept = [r for i, r in enumerate(rows) if i != 1]

# %% nested comprehension with a walrus
values = [(s := x * i) + s for i in range(2)]
last = s

# %% try except else finally
log = []
try:
    y = x * 2
    bad = x + np.ones(3)
except ValueError as error:
    log.append(type(error).__name__)
    y = x - 1
else:
    log.append("fine")
finally:
    log.append("done")
    z = y + 1

# %% exception carries on
def risky(v, i):
    if i == 2:
        raise KeyError(f"step {i}")
    return v + i
done = []
y = x
for i in range(4):
    try:
        y = risky(y, i)
        done.append(i)
    except KeyError as error:
        message = str(error)
        continue

# %% finally returns first
def f(v):
    try:
        return v * 2
    finally:
        order.append("cleanup")
order = []
y = f(x)

# %% with statement
class Trace:
    def __init__(self):
        self.events = []
    def __enter__(self):
        self.events.append("in")
        return self
    def __exit__(self, *exc):
        self.events.append("out")
        return True
trace = Trace()
with trace as t:
    y = x * 2
    raise RuntimeError("swallowed")

# %% contextmanager
from contextlib import contextmanager
@contextmanager
def scaled(k):
    print("enter", k)
    yield x * k
    print("leave")
with scaled(2) as y, scaled(3) as z:
    both = y + z

# %% with errstate
with np.errstate(divide="ignore", invalid="ignore"):
    y = np.ones(5) / x
    z = x / x

# %% star unpacking
first, *rest = [x * i for i in range(4)]
a, (b, c) = x, (x + 1, x + 2)
merged = [*rest, a]
def total(*arrays, weight=1, **named):
    return sum(arrays) * weight + sum(named.values())
y = total(x, *rest, weight=2, extra=x)

# %% delete names
y = x * 2
z = y + 1
del y
parts = [x, z]
del parts[0]
table = {"a": x, "b": z}
del table["a"]

# %% delete an attribute
class Holder:
    pass
h = Holder()
h.a = x * 2
h.b = h.a + 1
del h.a

# %% global statement
total = np.zeros(2)
def grow():
    global total, fresh
    total = total + 1
    fresh = total * 2
grow()
grow()

# %% while else and for else
found = None
for i in range(5):
    if i * i == 16:
        found = i
        break
else:
    found = -1
n = 0
while n < 3:
    n += 1
else:
    y = x * n

# %% match on structure
def area(shape):
    match shape:
        case {"kind": "circle", "r": r}:
            return np.pi * r**2
        case [w, h]:
            return w * h
        case np.ndarray():
            return shape.sum()
        case _:
            return None
areas = [area({"kind": "circle", "r": 2.0}), area([x, 3]), area(x * 2), area("?")]

# %% dataclass of arrays
from dataclasses import dataclass, field
@dataclass
class State:
    position: np.ndarray
    speed: np.ndarray
    time: float = 0.0
    history: list = field(default_factory=list)
    def step(self, dt):
        self.position = self.position + self.speed * dt
        self.time += dt
        self.history.append(self.position.sum())
state = State(x, np.ones(5))
for _ in range(3):
    state.step(0.5)

# %% prints in order
print("start")
y = x * 2
print("sum", y.sum())
for i in range(2):
    print(i, (y + i).max())
print("end", end="!\n", sep="-")

# %% print to a file
import io
out = io.StringIO()
print("hello", x * 2, file=out)
text = out.getvalue()

# %% f-strings of arrays
y = x / 3
text = f"{y[1]:.4f} {y.sum():8.3f} {y.shape} {y.dtype}"
print(f"{y[2] = :.3f}")

# %% sum and max of python
s = sum(x)
m = max(x), min(x)
t = sorted(-x)[0]
r = list(reversed(x))[0]
a = any(x > 3), all(x >= 0)

# %% map filter zip
doubled = list(map(lambda v: v * 2, x))
big = list(filter(lambda v: v > 2, x))
pairs = dict(zip("abcde", x + 1))

# %% list of arrays changed
stack = [x]
stack.append(x * 2)
stack.insert(0, stack[-1] + 1)
last = stack.pop()
stack.extend([last, last])
stack[1] = stack[1] - 1
alias = stack[-1] is stack[-2]

# %% dict of arrays changed
p = {"w": x, "b": np.zeros(1)}
p["w"] = p["w"] - 0.1 * np.ones(5)
p.update(b=p["b"] + 1, c=x.sum())
p.setdefault("d", x * 4)
names = list(p)
got = p.pop("c")

# %% sets and tuples
t = (x * 2, 3, (x + 1,))
u = t + (x - 1,)
ids = {len(v) for v in u if isinstance(v, np.ndarray)}

# %% isinstance and type
y = x * 2
checks = [isinstance(y, np.ndarray), type(y) is np.ndarray, isinstance(y[0], float)]
checks += [isinstance(y.sum(), np.floating), type(y[1]) is np.float64, hasattr(y, "shape")]

# %% identity
y = x
z = x + 0
same = [y is x, z is x, y is not z, x[0:2] is x[0:2]]

# %% equality of arrays
e = (x == x * 1).all()
n = x != 2
same = np.array_equal(x, x.copy())

# %% truth of a one element array
one = np.array([3.0])
answer = "yes" if one > 2 else "no"
n = int(one[0]) + 1

# %% assert
assert x.shape == (5,)
assert len(x) == 5, "length"
y = x + 1

# %% failed assert
y = x * 2
n = 1 + 2
assert y.shape == (4,), f"shape is {y.shape}"
never = 1

# %% shape error
a = x * 3
b = a + np.ones(4)
c = 1

# %% index error
a = x + 1
n = len(a) * 2
b = a[7]
c = 2

# %% key error in a function
def pick(table, key):
    value = table["w"] * 2
    return value + table[key]
base = x - 1
result = pick({"w": base}, "missing")

# %% zero division
a = x * 2
k = 3 - 3
b = 5 / k

# %% type error
a = x * 2
b = a + "text"

# %% name error
a = x + 1
b = a * undefined_name
c = 3

# %% attribute error
a = x + 1
b = a.no_such_thing

# %% raise with cause
def convert(v):
    try:
        return v.reshape(2, 3)
    except ValueError as error:
        raise TypeError("cannot fold") from error
y = x + 1
z = convert(y)

# %% own exception
class Refused(Exception):
    def __init__(self, code, data):
        super().__init__(f"code {code}")
        self.code = code + 1
        self.data = data
try:
    raise Refused(3, x * 2)
except Refused as error:
    kept = error
    n = error.code

# %% exception mid-loop keeps what was done
done = []
for i in range(5):
    done.append(x * i)
    if i == 2:
        raise StopIteration("enough")

# %% exception after a write
x[0] = 10
x[1] += 5
raise ValueError("after")

# %% linear algebra error
m = np.ones((2, 2))
y = m * 2
inverse = np.linalg.inv(m)

# %% matmul shape error
a = np.ones((2, 3))
b = a @ np.ones((2, 3))

# %% reshape error
y = x * 2
z = y.reshape(2, 3)

# %% import inside
from math import pi as half_turn
import numpy
y = numpy.sin(x * half_turn)

# %% aliased import
import numpy as other
from numpy import exp, linspace
y = exp(linspace(0, 1, 3)) + other.ones(3)

# %% annotations
count: int = 3
ratio: float
y: "np.ndarray" = x * count

# %% conditional expression chain
k = 2
y = x * 2 if k > 1 else x / 2 if k else x
z = (k > 1 and x + 1) if k else None

# %% string keys and eval
expression = "x * 2 + 1"
y = eval(expression)
exec("z = y - 1")

# %% locals and globals
def f(v):
    w = v * 2
    return sorted(locals())
names = f(x)
has = "x" in globals()

# %% recursion over arrays
def halve(v, depth):
    if depth == 0:
        return v
    return halve(v / 2, depth - 1) + v
y = halve(x, 4)

# %% deep copy
import copy
state = {"w": x * 2, "n": 3}
twin = copy.deepcopy(state)
twin["w"][0] = 99
shallow = copy.copy(state)

# %% save and load in memory
import io
buffer = io.BytesIO()
np.save(buffer, x * 2)
buffer.seek(0)
back = np.load(buffer)

# %% iterator protocol
class Steps:
    def __init__(self, v, n):
        self.v, self.n = v, n
    def __iter__(self):
        self.i = 0
        return self
    def __next__(self):
        if self.i == self.n:
            raise StopIteration
        self.i += 1
        return self.v * self.i
sums = [s.sum() for s in Steps(x, 3)]

# %% operator module
import operator
y = operator.add(x, 1)
z = operator.itemgetter(2)(y)
f = operator.methodcaller("sum")(y)

# %% threads
import threading
results = []
def work(v):
    results.append(v.sum() + 1)
t = threading.Thread(target=work, args=(x * 2,))
t.start()
t.join()

# %% object array
import numpy as np
things = np.array([1, "two", None], dtype=object)
n = len(things)
y = x * 2

# %% structured array
people = np.zeros(2, dtype=[("age", "i4"), ("height", "f8")])
people["age"] = [30, 40]
mean = people["age"].mean()

# %% string array
names = np.array(["ada", "bob"])
upper = np.char.upper(names)
y = x + len(names)

# %% masked array
m = np.ma.masked_array(x, mask=[0, 1, 0, 0, 1])
total = m.sum()

# %% async function defined
async def later(v):
    return v * 2
import asyncio
loop = asyncio.new_event_loop()
y = loop.run_until_complete(later(3))
loop.close()
del loop

# %% semicolons and one line
a = x * 2; b = a + 1; c = b.sum()

# %% index array out of bounds | kernel error
a = x * 2
i = np.array([1, 7]) + 0
b = a[i]
c = 3

# %% integer division by zero warns
n = np.arange(3)
with np.errstate(all="ignore"):
    q = 6 // n
    r = 6 % n

# %% error in a helper of an earlier cell
a = x + 1
b = helper(a, k="two")
c = 2

# %% error inside a with and a finally
events = []
try:
    with np.errstate(all="ignore"):
        y = x * 2
        events.append(y.sum())
        raise OSError("disk")
finally:
    events.append("end")
    z = x + 5

# %% exception in a generator
def parts(v):
    for i in range(4):
        if i == 2:
            raise LookupError(f"part {i}")
        yield v * i
got = []
for part in parts(x):
    got.append(part)

# %% exception in a comprehension
squares = x * x
rows = [squares / (1 if i < 2 else 1 - i // 2) for i in range(4)]

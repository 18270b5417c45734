# What a program can ask of objects: is, in, hasattr, order, types, replaced attributes.

# %% is between names
def same(p, q):
    return p is q
# --- cell
a = x
b = x * 2
c = b
r = a is x, b is c, same(b, c), same(b, x * 2), x[:] is x, x.T is x
x += 0
s = a is x

# %% in-place operators keep identity
def inplace(v):
    w = v
    w += 1
    return w is v, w
# --- cell
y = x * 2
r, w = inplace(y)
z = y
z *= 3
q = z is y is w
z = z * 3
p = z is y

# %% methods that return the same object
def through(v):
    return np.asarray(v), np.asanyarray(v), np.ascontiguousarray(v), v.astype(float, copy=False)
# --- cell
r = [v is x for v in through(x)]
y = x * 2
s = [v is y for v in through(y)]
t = np.array(y, copy=False if np.__version__ < "2" else None) is y
base = y[1:].base is y, y.base is None

# %% a missing key and a missing attribute
class Bag:
    pass
def probe(o, d):
    return hasattr(o, "w"), "w" in d, getattr(o, "w", None) is None
# --- cell
o, d = Bag(), {}
a = probe(o, d)
if not hasattr(o, "w"):
    o.w = d["w"] = x * 2
b = probe(o, d)
if "w" in d:
    d["w"] = d["w"] + 1
c = o.w is d["w"]

# %% a class attribute replaced between runs
class Net:
    rate = 0.5
    def step(self, v):
        return v * self.rate
# --- cell
n = Net()
a = n.step(x)
Net.rate = 2.0
b = n.step(x)
n.rate = 3.0
c = n.step(x)
Net.step = lambda self, v: v + 100
d = n.step(x)
del n.rate
e = n.rate

# %% a function replaced between calls
def f(v):
    return v + 1
def twice(v):
    return f(f(v))
# --- cell
a = twice(x)
old = f
def f(v):
    return v * 10
b = twice(x)
globals()["f"] = old
c = f(x)

# %% code of a function replaced
def f(v):
    return v + 1
def g(v):
    return v * 3
# --- cell
a = f(x)
f.__code__ = g.__code__
b = f(x)
f.__defaults__ = (x,)
c = f()

# %% the same object twice as arguments
def step(p, q):
    p = p + 1
    q += p
    return p, q
# --- cell
c = x * 1
r = step(x, c)
s = step(c, c)
t = step(x, x[::-1])

# %% an element and a view of the same array
def write(v, w):
    v[0] = 100
    return w * 2
# --- cell
a = write(x, x[:3])
b = write(x[1:], x)
c = write(x.copy(), x)
shared = np.shares_memory(x, x[2:]), np.may_share_memory(x, x * 2)

# %% equality returns arrays and identity of scalars
def alike(v, w):
    return (v == w).all(), v is w
# --- cell
a = alike(x, x * 1)
b = x[0] is x[0]
c = x.sum() is x.sum()
d = (x == None).any()
e = x is None, x is not None

# %% isinstance against abstract classes
from collections.abc import Hashable, Iterable, Sequence, Sized
import numbers
def kinds(v):
    return [isinstance(v, k) for k in (Iterable, Sized, Sequence, Hashable, numbers.Number)]
# --- cell
y = x * 2
a = kinds(y)
b = kinds(y.sum())
c = kinds(y[0])
d = callable(y), callable(y.sum)

# %% hash and dict keys of scalars
def key(v):
    return {v: "v"}
# --- cell
d = key((x * 2)[1])
d[2.0] = "again"
n = len(d)
e = {x[1], x[1] * 1, 1}
try:
    key(x * 2)
except TypeError as error:
    text = str(error)

# %% dtype of results by kind of number
def powers(v):
    return v ** 2, v * 2, v / 2, v // 2, v % 2
# --- cell
i = np.arange(4)
a = [r.dtype.name for r in powers(i)]
b = [type(r).__name__ for r in powers(i[1])]
c = [type(r).__name__ for r in powers(np.float32(1.5))]
d = (i * np.float32(2)).dtype.name, (np.float32(1) * x).dtype.name
e = type(i.sum()).__name__, type(i.mean()).__name__, type(i.max() + 1).__name__

# %% an attribute set on a function and on a module
import types
def f(v):
    f.calls += 1
    return v * f.calls
f.calls = 0
# --- cell
a = f(x)
b = f(x)
f.calls = 10
c = f(x)
n = f.__dict__

# %% dir and vars of a result
def public(v):
    return [n for n in dir(v) if not n.startswith("_")] == [n for n in dir(np.zeros(1)) if not n.startswith("_")]
# --- cell
y = x * 2
p = public(y)
try:
    y.nothing
except AttributeError as error:
    text = str(error)
try:
    y.nothing = 1
except AttributeError as error:
    text2 = str(error)

# %% flags strides and order
def geometry(v):
    return v.strides, v.flags.c_contiguous, v.flags.f_contiguous, v.flags.owndata, v.flags.writeable
# --- cell
m = x.reshape(2, 3) * 2
a = geometry(m), geometry(m.T), geometry(m[:, 1]), geometry(m.T * 1)
b = geometry(np.asfortranarray(m)), geometry(np.asfortranarray(m) + 1)
c = geometry(np.broadcast_to(x, (2, 6)))
d = m.T.copy().strides, m.T.copy("K").strides, m.ravel("F").flags.owndata

# %% a tuple kept by an operator
def swap(p, q):
    return q, p
# --- cell
p, q = x * 2, x * 3
old = p
p, q = swap(p, q)
a = q is old
t = (p, q)
u = t
u += (x,)
b = t is u, len(t), t[0] is u[0]

# %% names bound in one branch
def pick(flag):
    if flag:
        y = x * 2
    try:
        return y
    except UnboundLocalError as error:
        return str(error)
# --- cell
a = pick(True)
b = pick(False)
if x.sum() > 1000:
    z = 1
try:
    z
except NameError as error:
    c = str(error)

# %% a read of a name before and after a rebind
def reads():
    return x.sum()
# --- cell
a = reads()
x = x * 2
b = reads()
y = x
x = np.ones(2)
c = reads(), y.sum()

# %% sorted arrays of names in the namespace
def spread(**names):
    globals().update(names)
# --- cell
spread(p=x * 2, q=x * 3)
r = p + q
known = sorted(n for n in ("p", "q", "nothere") if n in globals())

# %% NumPy under other names
import sys
import numpy as np
def same(value):
    return value is sys.modules["numpy"], type(value).__name__
# --- cell
other = np
held = [np, np.zeros, np.array]
again = other.ones(2) + 1
a = same(other), same(held[0]), held[1] is sys.modules["numpy"].zeros
b = vars(np)["pi"], "sin" in dir(np), type(np).__name__
make = np.arange
c = make(3) * 2

# %% memory of a pending array read as a buffer
import numpy as np
def words(v):
    return np.frombuffer(v, "u1")[:4].tolist()
# --- cell
y = x * 2
a = np.frombuffer(y)
b = np.frombuffer(y, "i8", 2, 8)
c = np.ndarray((2,), buffer=y)
d = words(y), bytes(y)[:3]
y[0] = 7
e = a[0], c[0]

# %% isinstance against unions
import numpy as np
def any_of(v, kinds):
    return isinstance(v, kinds)
# --- cell
y = x * 2
total = y.sum()
a = [isinstance(v, int | float) for v in (y, total, 3, "a", y[0])]
b = isinstance(y, np.ndarray | float), isinstance(total, int | None)
c = any_of(total, int | float), any_of(y, str | np.ndarray)

# %% attributes that NumPy's objects lack
def kinds(v):
    names = "to_numpy parent handle store version sum __len__ __iter__ __index__ T __matmul__"
    return [n for n in names.split() if hasattr(v, n)], getattr(v, "recorder", 7)
def root(v):
    while hasattr(v, "parent"):
        v = v.parent
    return v
# --- cell
y = x * 2
found = kinds(y), kinds(y.sum()), kinds(y.astype(int).sum()), root(y) is y
listed = dir(y) == dir(np.ndarray), "promise" in dir(y)
try:
    getattr(y, "origin")
except AttributeError as error:
    text = str(error)
try:
    y.version = 3
except AttributeError as error:
    other = str(error)
try:
    del y.store
except AttributeError as error:
    third = str(error)
total = getattr(y, "sum")() + getattr(y.mean(), "real", None)

# %% which array it is, told before a loop and after it
def mark(v):
    return {id(v)}
# --- cell
y = x * 2
seen = mark(y)
plain = object.__hash__(y) == object.__hash__(y)
texts = [str(v) for v in [y + 1] * 40]
r = id(y) in seen, id(y) == id(y), id(y) == id(x)
seen = None

# %% a deep copy that shares what its memo tells
import copy
class Holder:
    def __init__(self):
        self.table = x * 2
        self.place = x + 1
    def __deepcopy__(self, memo):
        memo[id(self.table)] = self.table
        made = Holder.__new__(Holder)
        made.__dict__.update(copy.deepcopy(self.__dict__, memo))
        return made
# --- cell
y = x * 3
z = copy.deepcopy([y], {id(y): y})
z[0][1] = 100
h = Holder()
g = copy.deepcopy(h)
g.table[0] = 50
g.place[0] = 60
r = h.table is g.table, h.place is g.place, h.table.sum(), h.place.sum()
del h, g

# %% numbers in names that code from nowhere reads
exec("def look(): return type(rate), type(steps), rate * 2, type(x * rate)")
# --- cell
rate, steps = 0.5, 3
first = look()
steps = steps + 1
y = x * rate
second = look(), type(steps), steps
del look

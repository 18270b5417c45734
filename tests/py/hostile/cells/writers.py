# Code of the user's own that writes an array which a value not yet computed still reads.

# %% a method bumps between two equal sums
class Counter:
    def __init__(self, a):
        self.a = a

    def bump(self):
        self.a += 1
# --- cell
obj = Counter(x)
a = x + 1
obj.bump()
b = x + 1

# %% a method through a chain of attributes
class Inner:
    def __init__(self, a):
        self.a = a

    def update(self):
        self.a[:] = self.a * 2 + 1

class Outer:
    def __init__(self, a):
        self.m = Inner(a)

    def step(self):
        self.m.update()
# --- cell
o = Outer(x)
a = x - 1
o.step()
b = x - 1
o.m.update()
c = x - 1

# %% a property getter that writes
class Meter:
    def __init__(self, a):
        self.a = a

    @property
    def level(self):
        self.a[0] += 10
        return self.a[0]
# --- cell
m = Meter(x)
a = x * 3
first = m.level
b = x * 3
second = m.level
c = x * 3

# %% a property setter that writes
class Scaled:
    def __init__(self, a):
        self.a = a

    @property
    def scale(self):
        return self.a[1]

    @scale.setter
    def scale(self, v):
        self.a *= v
# --- cell
s = Scaled(x)
a = x + 0.5
s.scale = 3
b = x + 0.5
s.scale += 1
c = x + 0.5

# %% a cached property that writes once
import functools
class Lazy:
    def __init__(self, a):
        self.a = a

    @functools.cached_property
    def total(self):
        self.a -= 1
        return self.a.sum()
# --- cell
lazy = Lazy(x)
a = x * 2
t1 = lazy.total
b = x * 2
t2 = lazy.total
c = x * 2
same = t1 is t2

# %% a descriptor's get and set
class Noted:
    def __get__(self, obj, kind=None):
        obj.a[2] -= 1
        return obj.a

    def __set__(self, obj, v):
        obj.a[:] = v

class Holder:
    field = Noted()

    def __init__(self, a):
        self.a = a
# --- cell
h = Holder(x)
a = x + x
b = h.field + 1
h.field = 7
c = x + x

# %% getattr of unknown names
class Proxy:
    def __init__(self, a):
        self.a = a

    def __getattr__(self, name):
        self.a[3] = len(name)
        return self.a
# --- cell
p = Proxy(x)
a = x / 2
b = p.anything.sum()
c = x / 2

# %% setattr that writes
class Recorder:
    def __init__(self, a):
        object.__setattr__(self, "a", a)

    def __setattr__(self, name, v):
        self.a[0] = v
# --- cell
r = Recorder(x)
a = x * x
r.speed = 12
b = x * x
setattr(r, "other", 13)
c = x * x

# %% getitem that writes
class Table:
    def __init__(self, a):
        self.a = a

    def __getitem__(self, i):
        self.a[i] += 100
        return self.a[i]
# --- cell
t = Table(x)
a = x - 3
b = t[1] + t[2]
c = x - 3

# %% setitem and delitem that write
class Store:
    def __init__(self, a):
        self.a = a

    def __setitem__(self, i, v):
        self.a[i] = v * 2

    def __delitem__(self, i):
        self.a[i] = -1
# --- cell
s = Store(x)
a = np.sqrt(x)
s[1] = 8
b = np.sqrt(np.abs(x))
del s[2]
c = np.abs(x) + 1

# %% len that writes
class Sized:
    def __init__(self, a):
        self.a = a

    def __len__(self):
        self.a += 1
        return 4
# --- cell
s = Sized(x)
a = x * 5
n = len(s)
b = x * 5
truth = bool(s)
c = x * 5

# %% iter and next that write
class Walk:
    def __init__(self, a):
        self.a, self.i = a, 0

    def __iter__(self):
        return self

    def __next__(self):
        self.i += 1
        if self.i > 3:
            raise StopIteration
        self.a *= 2
        return self.i
# --- cell
sums = []
for i in Walk(x):
    y = x + i
    sums.append(y)
last = x + 0.0

# %% contains that writes
class Bag:
    def __init__(self, a):
        self.a = a

    def __contains__(self, v):
        self.a[0] += v
        return v > 1
# --- cell
bag = Bag(x)
a = x * 1.5
found = 3 in bag, 1 in bag, 5 not in bag
b = x * 1.5

# %% eq and hash of keys that write
class Key:
    def __init__(self, a, n):
        self.a, self.n = a, n

    def __hash__(self):
        return 7

    def __eq__(self, other):
        self.a += 1
        return self.n == other.n
# --- cell
k1, k2, k3 = Key(x, 1), Key(x, 2), Key(x, 1)
a = x * 2
d = {k1: "one"}
d[k2] = "two"
b = x * 2
got = d[k3]
c = x * 2

# %% lt that writes while sorting
class Ranked:
    def __init__(self, a, n):
        self.a, self.n = a, n

    def __lt__(self, other):
        self.a[0] += 1
        return self.n < other.n
# --- cell
items = [Ranked(x, n) for n in (3, 1, 2)]
a = x + 10
items.sort()
b = x + 10
order = [i.n for i in sorted(items, reverse=True)]
c = x + 10
small = min(items).n
d = x + 10

# %% bool that writes
class Flag:
    def __init__(self, a):
        self.a = a

    def __bool__(self):
        self.a[:] = 9
        return False
# --- cell
f = Flag(x)
a = x - 1
if f:
    b = x
else:
    b = x - 1
c = f or x - 2

# %% arithmetic of an own class that writes
class Money:
    def __init__(self, a):
        self.a = a

    def __add__(self, v):
        self.a[1] += 5
        return self

    def __radd__(self, v):
        self.a[2] += 6
        return self

    def __iadd__(self, v):
        self.a[3] += 7
        return self

    def __matmul__(self, v):
        self.a[4] += 8
        return v
# --- cell
m = Money(x)
a = x * 2
m + 1
b = x * 2
1 + m
c = x * 2
m += 2
d = x * 2
e = (m @ 5) + x

# %% array ufunc of an own class that writes
class Wrapped:
    def __init__(self, a):
        self.a = a

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        self.a += 1
        return getattr(ufunc, method)(*[i.a if isinstance(i, Wrapped) else i for i in inputs])
# --- cell
w = Wrapped(x)
a = x * 2
b = w + x if hasattr(w, "__add__") else np.add(w, x)
c = x * 2

# %% index and float conversions that write
class Number:
    def __init__(self, a):
        self.a = a

    def __index__(self):
        self.a[0] += 1
        return 2

    def __float__(self):
        self.a[1] += 1
        return 2.5
# --- cell
n = Number(x)
a = x + 1
b = [10, 20, 30][n]
c = x + 1
d = float(n)
e = x + 1
f = x[n]

# %% str repr and format that write
class Shown:
    def __init__(self, a):
        self.a = a

    def __repr__(self):
        self.a += 1
        return "shown"

    def __str__(self):
        self.a += 2
        return "str"

    def __format__(self, spec):
        self.a += 3
        return "formatted"
# --- cell
s = Shown(x)
a = x * 2
print(s)
b = x * 2
text = f"{s} {s!r} {s:>3}"
c = x * 2
other = "%s %r" % (s, s) + "{}".format(s) + str([s])
d = x * 2

# %% enter and exit that write
class Scope:
    def __init__(self, a):
        self.a = a

    def __enter__(self):
        self.a += 1
        return self.a

    def __exit__(self, *args):
        self.a[:] = 0
# --- cell
a = x * 2
with Scope(x) as v:
    b = x * 2
    same = v is x
c = x * 2

# %% a finalizer that writes
class Last:
    def __init__(self, a):
        self.a = a

    def __del__(self):
        self.a -= 5
# --- cell
o = Last(x)
a = x * 2
del o
b = x * 2
o = Last(x)
c = x * 2
o = None
d = x * 2

# %% array protocol that writes
class Source:
    def __init__(self, a):
        self.a = a

    def __array__(self, dtype=None, copy=None):
        self.a[0] += 1
        return self.a.copy()
# --- cell
s = Source(x)
a = x * 2
b = np.asarray(s)
c = x * 2
d = np.add(x, s)
e = x * 2

# %% a context manager made of a generator
from contextlib import contextmanager
@contextmanager
def doubled(a):
    a *= 2
    try:
        yield a
    finally:
        a /= 2
# --- cell
a = x + 1
with doubled(x) as v:
    b = x + 1
    w = v - x
c = x + 1

# %% a cached function that writes when it runs
from functools import lru_cache
@lru_cache(None)
def touch(i):
    x[i] += 50
    return i
# --- cell
a = x + 1
touch(1)
b = x + 1
touch(1)
c = x + 1
touch(2)
d = x + 1

# %% a decorated function that writes around
import functools
def counted(f):
    @functools.wraps(f)
    def inner(*args):
        x[0] += 1
        out = f(*args)
        x[1] += 1
        return out
    return inner

@counted
def half(v):
    return v / 2
# --- cell
a = half(x)
b = half(x)
c = x * 1
name = half.__name__

# %% a partial of a function that writes
from functools import partial
def put(a, i, v):
    a[i] = v
    return v
put_first = partial(put, x, 0)
# --- cell
a = x * 4
r = put_first(9)
b = x * 4
put_first(v=10)
c = x * 4

# %% a reduce with a function that writes
from functools import reduce
def fold(total, v):
    x[0] += v
    return total + v
# --- cell
a = x * 2
total = reduce(fold, [1, 2, 3], 0)
b = x * 2
best = reduce(lambda p, q: p + q, [x, x * 2, x * 3])

# %% single dispatch whose branch writes
from functools import singledispatch
@singledispatch
def handle(v):
    x[0] = 1000
    return "any"

@handle.register
def _(v: int):
    x[1] = v
    return "int"

@handle.register
def _(v: np.ndarray):
    v[2] = -1
    return "array"
# --- cell
a = x * 2
k1 = handle(5)
b = x * 2
k2 = handle(x)
c = x * 2
k3 = handle("s")
d = x * 2
k4 = handle(x * 2)

# %% lambdas kept in a dict
actions = {"up": lambda: x.__iadd__(1), "zero": lambda: x.fill(0), "set": lambda i, v: x.__setitem__(i, v)}
# --- cell
a = x + 3
actions["up"]()
b = x + 3
actions["set"](2, 40)
c = x + 3
for name in ("up", "zero"):
    actions[name]()
    d = x + 3

# %% a class attribute array
class Shared:
    weights = x

    @classmethod
    def learn(cls, rate):
        cls.weights -= rate

    @staticmethod
    def reset():
        Shared.weights[:] = 1
# --- cell
a = Shared.weights * 2
Shared.learn(0.5)
b = x * 2
Shared.reset()
c = x * 2

# %% an instance attribute replaced by a method
class Model:
    def __init__(self, w):
        self.w = w
        self.steps = 0

    def step(self, g):
        self.w = self.w - 0.1 * g
        self.steps += 1
        return self
# --- cell
m = Model(x)
for i in range(5):
    m.step(m.w * 2)
w, steps = m.w, m.steps
kept = m.w is w

# %% a private attribute counted up
class Hidden:
    def __init__(self):
        self.__n = 0
        self.__a = x

    def more(self):
        self.__n += 1
        self.__a += self.__n
        return self.__n
# --- cell
h = Hidden()
a = x * 2
one = h.more()
b = x * 2
two = h.more()
c = x * 2
names = sorted(vars(h))

# %% a closure that keeps a buffer
def make():
    buf = np.zeros(6)
    def add(v):
        buf[:] += v
        return buf
    return add
# --- cell
add = make()
r1 = add(x)
s1 = r1 * 2
r2 = add(x)
s2 = r1 * 2
same = r1 is r2

# %% a default argument as a buffer
def into(v, buf=np.zeros(6)):
    buf += v
    return buf
# --- cell
p = into(x)
q = p + 1
r = into(x)
s = p + 1
same = p is r

# %% a function attribute as a buffer
def total(v):
    total.sum = total.sum + v
    total.calls += 1
    return total.sum
total.sum = np.zeros(6)
total.calls = 0
# --- cell
a = total(x)
b = total(x * 2)
c = total.sum is b
n = total.calls

# %% exec and eval that write
code = compile("x[0] += 7", "<made>", "exec")
def run_text(text, scope):
    exec(text, scope)
# --- cell
a = x * 2
exec("x[1] = 100")
b = x * 2
exec(code)
c = x * 2
run_text("v *= 2", {"v": x})
d = x * 2
e = eval("x + 1")
eval("x.fill(3)")
f = x * 2

# %% globals and locals that write
def poke():
    globals()["x"][4] = 44
    return vars()
# --- cell
a = x * 2
poke()
b = x * 2
globals()["x"] = np.ones(6)
c = x * 2

# %% a callback given to a registry
listeners = []
def on(f):
    listeners.append(f)
    return f
def fire(v):
    for f in listeners:
        f(v)
@on
def first(v):
    v += 1
@on
def second(v):
    v *= 2
# --- cell
a = x * 2
fire(x)
b = x * 2
on(lambda v: v.fill(1))
fire(x)
c = x * 2

# %% a subclass of ndarray
class Tagged(np.ndarray):
    def __array_finalize__(self, obj):
        self.tag = getattr(obj, "tag", 0) + 1

    def __getitem__(self, i):
        out = super().__getitem__(i)
        return out
t = x.view(Tagged)
# --- cell
a = t * 2
b = a.tag, type(a).__name__
t[0] = 50
c = t + x
d = type(t[1:]).__name__

# %% a subclass of dict and of list
class Params(dict):
    def __getitem__(self, k):
        v = super().__getitem__(k)
        v += 1
        return v

class Log(list):
    def append(self, v):
        x[0] += 1
        super().append(v)
# --- cell
p = Params(w=x)
a = x * 2
b = p["w"] * 1
c = x * 2
log = Log()
log.append(x * 3)
d = x * 2

# %% a class made with type and metaclass
class Meta(type):
    def __call__(cls, *args):
        x[0] -= 1
        return super().__call__(*args)
class Made(metaclass=Meta):
    def __init__(self, v):
        self.v = v + 1
Other = type("Other", (), {"go": lambda self, v: v.__imul__(2)})
# --- cell
a = x * 2
m = Made(x)
b = x * 2
Other().go(x)
c = x * 2
d = m.v

# %% init subclass and set name that write
class Base:
    def __init_subclass__(cls, **kw):
        x[0] += 1
class Named:
    def __set_name__(self, owner, name):
        x[1] += 1
# --- cell
a = x * 2
class Child(Base):
    field = Named()
b = x * 2

# %% a callable object
class Step:
    def __init__(self, a, rate):
        self.a, self.rate, self.n = a, rate, 0

    def __call__(self, g):
        self.a -= self.rate * g
        self.n += 1
        return self.a
# --- cell
step = Step(x, 0.5)
a = x * 1
for i in range(3):
    r = step(x)
b = x * 1
n, same = step.n, r is x
